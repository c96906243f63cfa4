package dev.berth;

import dev.berth.task.TaskId;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A task that had not ended when the caller stopped waiting for it. The task goes on. */
public final class AwaitTimeoutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AwaitTimeoutException(TaskId id, Duration waited, Optional<TaskView> task) {
    super(
        task.map(t -> "Task " + id + " (" + t.type() + ") was still " + t.state() + " after ")
                .orElse(
                    "Task "
                        + id
                        + " is not in the store (never submitted, not committed, or kept"
                        + " no history) after ")
            + TimeUnit.MILLISECONDS.convert(waited)
            + " ms");
  }
}
