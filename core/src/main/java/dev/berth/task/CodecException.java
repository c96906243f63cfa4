package dev.berth.task;

/**
 * A payload or result that cannot be written or read; the message names the class and the field.
 */
public final class CodecException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
