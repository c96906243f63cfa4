package dev.berth.store;

import dev.berth.task.TaskId;
import org.jspecify.annotations.Nullable;

/** What became of one submission. */
public sealed interface Submitted {

  /** The task that is in the store now because of this submit or an earlier one. */
  TaskId id();

  /** A new task. */
  record Accepted(TaskId id) implements Submitted {}

  /**
   * A task was already there and nothing changed: one with this id, alive or in the history, or the
   * oldest under a quota that is full.
   */
  record Existing(TaskId id) implements Submitted {}

  /**
   * A quota is full and the task was refused: it is not in the store.
   *
   * @param stopping the running task that was asked to stop to make room, if any
   */
  record QuotaFull(TaskId id, String key, int quota, @Nullable TaskId stopping)
      implements Submitted {
    public QuotaFull(TaskId id, String key, int quota) {
      this(id, key, quota, null);
    }
  }
}
