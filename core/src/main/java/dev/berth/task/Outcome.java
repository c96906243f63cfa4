package dev.berth.task;

import dev.berth.value.Durations;
import dev.berth.value.Texts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended. */
public sealed interface Outcome {

  /** The handler returned; {@code result} is its value as JSON, if it has one. */
  record Finished(@Nullable String result) implements Outcome {
    public Finished {
      if (result != null) {
        Texts.check("The result of a task", result);
      }
    }
  }

  /** The handler failed and the task is tried again after the delay. */
  record Retrying(String error, Duration delay) implements Outcome {
    public Retrying {
      error = Texts.clean(error, Texts.LONGEST);
      Durations.check("The delay of a retry", delay);
    }
  }

  /** The handler failed for good. */
  record Failed(String error) implements Outcome {
    public Failed {
      error = Texts.clean(error, Texts.LONGEST);
    }
  }

  /**
   * The task goes back to its queue as if it had not been claimed: no attempt is spent.
   *
   * @param delay after which it is due again
   */
  record Released(Duration delay) implements Outcome {
    public Released {
      Durations.check("The delay of a release", delay);
    }

    public Released() {
      this(Duration.ZERO);
    }
  }

  /**
   * The handler was stopped because someone cancelled the task.
   *
   * @param reason counts only where the store knows none: the one given with the cancel goes first
   */
  record Cancelled(String reason) implements Outcome {
    public Cancelled {
      reason = Texts.clean(reason, Texts.LONGEST);
    }
  }
}
