package dev.berth.config;

/** A configuration file that cannot be used; the message says where and why. */
public final class ConfigException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A mistake in a line of the file; 0 where it is not in one line. */
  ConfigException(String file, int line, String mistake) {
    super(file + (line > 0 ? ", line " + line : "") + ": " + mistake);
  }

  ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
