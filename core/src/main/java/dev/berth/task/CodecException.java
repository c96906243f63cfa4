package dev.berth.task;

import org.jspecify.annotations.Nullable;

/**
 * A payload or result that cannot be written or read; the message names the class and the field.
 */
public final class CodecException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public CodecException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
