package dev.berth.view;

import dev.berth.task.TaskId;
import java.util.List;
import java.util.Optional;

/** Looks into a store without changing it. */
public interface StoreReader {

  /** The task, alive or in the history. */
  Optional<TaskView> find(TaskId id);

  /** The tasks that were submitted under this text, such as "order-42", of all types, by type. */
  List<TaskView> named(String name);

  /** Live tasks and ended ones, newest first. */
  List<TaskView> list(TaskFilter filter);

  /** The ended attempts of a task, oldest first. */
  List<AttemptView> attempts(TaskId id);

  /** Each queue that has live tasks or is paused. */
  List<QueueView> queues();

  /** The sessions that are alive. */
  List<SessionView> sessions();

  /** Each limit that is in use or whose number was said, by key; one of many keys while in use. */
  List<LimitView> limits();

  /** Each quota under which tasks are pending or running, by key. */
  List<QuotaView> quotas();

  /** All schedules, by name. */
  List<ScheduleView> schedules();

  /** Why the task does not run, or how it runs, or how it ended. Cheap, however much waits. */
  Optional<Explanation> explain(TaskId id);

  /**
   * Replays starts and ends from the history, running tasks included, by key. It knows of attempts
   * what the history keeps: nothing of slots that were held without a task.
   */
  List<LimitAudit> audit(AuditFilter filter);

  /** Counters of limits that differ from what running tasks hold. There must be none. */
  List<Drift> drift();

  /** Rows that somebody changed by hand and that nobody can work with, a sentence for each. */
  default List<String> unreadable() {
    return List.of();
  }

  /** The workflow as a whole, with its steps. */
  Optional<WorkflowView> workflow(String name);

  /**
   * Workflows that are known, without their steps: those that are halted first, then by name.
   *
   * @param most how many at most, up to 10,000
   */
  List<WorkflowView> workflows(int most);

  /** The step of this name in the workflow that this task is a step of. */
  Optional<StepView> step(TaskId task, String name);
}
