package dev.berth.store;

import dev.berth.task.TaskId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A quota is full and the task was refused; it is not in the store. */
public final class QuotaFullException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String key;
  private final transient @Nullable TaskId stopping;

  public QuotaFullException(Submitted.QuotaFull full) {
    this(full, "the task was not submitted");
  }

  /** With another word for what was refused, such as so many of a batch. */
  public QuotaFullException(Submitted.QuotaFull full, String refused) {
    super(
        "The quota "
            + full.key()
            + (full.quota() == 0
                ? " is 0: "
                : " is full (" + full.quota() + " pending or running): ")
            + refused
            + (full.stopping() == null
                ? ""
                : "; task "
                    + full.stopping()
                    + " was asked to stop, submit again when it has ended"));
    this.key = full.key();
    this.stopping = full.stopping();
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
