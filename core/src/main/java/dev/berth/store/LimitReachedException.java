package dev.berth.store;

import dev.berth.task.TaskId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A quota is full and the task was refused; it is not in the store. */
public final class LimitReachedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String key;
  private final transient @Nullable TaskId stopping;

  public LimitReachedException(Submitted.LimitReached reached) {
    this(reached, "the task was not submitted");
  }

  /** With another word for what was refused, such as so many of a batch. */
  public LimitReachedException(Submitted.LimitReached reached, String refused) {
    super(
        "The quota "
            + reached.key()
            + (reached.quota() == 0
                ? " is 0: "
                : " is full (" + reached.quota() + " pending or running): ")
            + refused
            + (reached.stopping() == null
                ? ""
                : "; task "
                    + reached.stopping()
                    + " was asked to stop, submit again when it has ended"));
    this.key = reached.key();
    this.stopping = reached.stopping();
  }

  /** The quota that is full. */
  public String key() {
    return key;
  }

  /** The running task that was asked to stop to make room, if any. */
  public Optional<TaskId> stopping() {
    return Optional.ofNullable(stopping);
  }
}
