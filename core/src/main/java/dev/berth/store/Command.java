package dev.berth.store;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import dev.berth.task.Names;
import dev.berth.task.TaskId;
import dev.berth.value.Durations;
import dev.berth.value.Texts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A change made by hand, from the API, the command line or SQL. */
public sealed interface Command {

  /** A pending task ends at once; a running one is asked to stop. */
  record Cancel(TaskId task, String reason) implements Command {
    public Cancel {
      reason = Texts.clean(reason, Texts.LONGEST);
    }
  }

  /**
   * A failed or cancelled task is pending again, with its attempts to spend anew. It counts for its
   * quotas again, with the numbers of its submit; where one is full, the task stays as it is,
   * whatever the quota says of a further submit.
   */
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

  /**
   * The number of a limit, or of all keys under a rule, over whatever the code says.
   *
   * @param lasts after which time the code counts again; null: until it is reset
   */
  record SetLimit(LimitKey key, int slots, @Nullable Duration lasts) implements Command {
    public SetLimit {
      Slots.check(key.value(), slots);
      if (lasts != null) {
        Durations.checkPositive("The time for which the limit " + key + " is set", lasts);
      }
    }

    public SetLimit(LimitKey key, int slots) {
      this(key, slots, null);
    }
  }

  /** The number that the code says counts again. */
  record ResetLimit(LimitKey key) implements Command {}

  /** No task under this limit starts until it is resumed; running ones go on. */
  record PauseLimit(LimitKey key) implements Command {}

  record ResumeLimit(LimitKey key) implements Command {}

  /**
   * Frees the slots of a holder that is known to be dead, before its lease is over. A task goes
   * back to its queue as one whose worker crashed, with all its slots; a hold without a task is
   * gone. The token is stale from then on.
   *
   * @param token of the holder: who took the slots since is not meant
   */
  record ReleaseSlot(LimitKey key, long token) implements Command {}

  /** Counts the slots of a limit anew from what running tasks hold; workers may go on meanwhile. */
  record RecountLimit(LimitKey key) implements Command {}

  /**
   * Makes a schedule, or changes the one of this name: the newest definition counts. Where the
   * times are the same as before, what is due stays due; where they are not, it begins anew.
   */
  record SetSchedule(Schedule schedule) implements Command {
    public SetSchedule {
      schedule.timing().check(schedule.name());
    }
  }

  /** No occurrence is submitted until it is resumed; what falls into the pause is left out. */
  record PauseSchedule(String name) implements Command {
    public PauseSchedule {
      Names.check("schedule", name);
    }
  }

  record ResumeSchedule(String name) implements Command {
    public ResumeSchedule {
      Names.check("schedule", name);
    }
  }

  /**
   * Submits a task now, besides all occurrences, also while the schedule is paused. Where an
   * earlier task is alive, its overlap decides: to skip is {@link Applied#UNCHANGED}.
   *
   * @param task the id of the new task, so that a repeat is a no-op
   */
  record RunSchedule(String name, TaskId task) implements Command {
    public RunSchedule {
      Names.check("schedule", name);
    }
  }

  /** Tasks that were submitted stay. */
  record RemoveSchedule(String name) implements Command {
    public RemoveSchedule {
      Names.check("schedule", name);
    }
  }

  /**
   * The workflow goes on as if this step were not there. One that has failed or was cancelled does
   * not hold those after it any more; one that has not run does not run; a running one is asked to
   * stop.
   */
  record SkipStep(String workflow, String step) implements Command {
    public SkipStep {
      Names.check("workflow", workflow);
      Names.check("step", step);
    }
  }

  /**
   * All its steps that have not ended are cancelled; the handler of a running one is asked to stop.
   * Steps that are appended later are cancelled too, until a step is retried.
   */
  record CancelWorkflow(String workflow, String reason) implements Command {
    public CancelWorkflow {
      Names.check("workflow", workflow);
      reason = Texts.clean(reason, Texts.LONGEST);
    }
  }

  /** Retries the step that holds the others, and the steps that were cancelled, in their order. */
  record RetryWorkflow(String workflow) implements Command {
    public RetryWorkflow {
      Names.check("workflow", workflow);
    }
  }
}
