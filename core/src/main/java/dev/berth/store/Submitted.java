package dev.berth.store;

import dev.berth.task.TaskId;

/** What became of one submission. */
public sealed interface Submitted {

  /** The task that is in the store now because of this submit or an earlier one. */
  TaskId id();

  /** A new task. */
  record Accepted(TaskId id) implements Submitted {}

  /** A task with this id was already there, alive or in the history; nothing changed. */
  record Existing(TaskId id) implements Submitted {}

  /** A quota is full and the task was refused: it is not in the store. */
  record LimitReached(TaskId id, String key, int quota) implements Submitted {}
}
