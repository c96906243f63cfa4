package dev.berth.store;

import dev.berth.task.Names;
import dev.berth.task.TaskId;

/** A change made by hand, from the API, the command line or SQL. */
public sealed interface Command {

  /** A pending task ends at once; a running one is asked to stop. */
  record Cancel(TaskId task, String reason) implements Command {}

  /** A failed or cancelled task is pending again, with its attempts to spend anew. */
  record RetryTask(TaskId task) implements Command {}

  /** No task of this queue is claimed any more; running ones go on. */
  record PauseQueue(String queue) implements Command {
    public PauseQueue {
      Names.check("queue", queue);
    }
  }

  record ResumeQueue(String queue) implements Command {
    public ResumeQueue {
      Names.check("queue", queue);
    }
  }
}
