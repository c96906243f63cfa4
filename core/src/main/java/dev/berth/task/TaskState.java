package dev.berth.task;

/** The states of a task. Why a pending task does not run is explained by the reader, not stored. */
public enum TaskState {
  /** Waiting for its due time, for a worker or for a slot; never tried so far. */
  PENDING,
  /** Claimed by a worker. */
  RUNNING,
  /** Tried at least once, failed or lost with its worker, and waiting to be tried again. */
  RETRYING,
  /** Ended well. */
  FINISHED,
  /** Ended for good with an error. */
  FAILED,
  /** Ended because someone asked for it. */
  CANCELLED;

  /** Whether the task has ended and will not run again by itself. */
  public boolean ended() {
    return this == FINISHED || this == FAILED || this == CANCELLED;
  }
}
