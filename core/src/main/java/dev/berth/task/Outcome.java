package dev.berth.task;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended. */
public sealed interface Outcome {

  /** The handler returned; {@code result} is its value as JSON, if it has one. */
  record Finished(@Nullable String result) implements Outcome {}

  /** The handler failed and the task is tried again after the delay. */
  record Retrying(String error, Duration delay) implements Outcome {}

  /** The handler failed for good. */
  record Failed(String error) implements Outcome {}

  /**
   * The task goes back to its queue as if it had not been claimed: no attempt is spent.
   *
   * @param delay after which it is due again
   */
  record Released(Duration delay) implements Outcome {
    public Released() {
      this(Duration.ZERO);
    }
  }

  /**
   * The handler was stopped because someone cancelled the task.
   *
   * @param reason counts only where the store knows none: the one given with the cancel goes first
   */
  record Cancelled(String reason) implements Outcome {}
}
