package dev.berth.store;

/** What became of a {@link Command}. */
public enum Applied {
  /** Done. */
  DONE,
  /** The task is running and was asked to stop. */
  REQUESTED,
  /** Nothing to do: it was so already, or the task has ended. */
  UNCHANGED,
  /** A quota of the task is full: it was not retried. */
  QUOTA_FULL,
  /** No such task, workflow, step, schedule or holder of a slot. */
  NOT_FOUND
}
