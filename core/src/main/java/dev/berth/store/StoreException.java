package dev.berth.store;

import org.jspecify.annotations.Nullable;

/** A store that could not do what was asked; the kind says what the caller can do about it. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What the caller can do. */
  public enum Kind {
    /** Not reachable or overloaded: try again. The call may or may not have taken effect. */
    UNAVAILABLE,
    /** The call is wrong: change it. */
    INVALID,
    /** Someone else was first: look again, then decide. */
    CONFLICT,
    /** The stored state is not what this version of Berth can work with: a person must look. */
    CORRUPT
  }

  private final Kind kind;

  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public StoreException(Kind kind, String message) {
    this(kind, message, null);
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the store refuses what it was given, so that the same again would be refused again. */
  public boolean refused() {
    return kind == Kind.INVALID || kind == Kind.CONFLICT;
  }
}
