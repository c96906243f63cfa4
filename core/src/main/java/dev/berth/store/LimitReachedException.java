package dev.berth.store;

/** A quota is full and the task was refused; it is not in the store. */
public final class LimitReachedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String key;

  public LimitReachedException(Submitted.LimitReached reached) {
    super(
        "The quota "
            + reached.key()
            + " is full ("
            + reached.quota()
            + " pending or running): the task was not submitted");
    this.key = reached.key();
  }

  /** The quota that is full. */
  public String key() {
    return key;
  }
}
