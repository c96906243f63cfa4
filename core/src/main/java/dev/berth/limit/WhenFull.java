package dev.berth.limit;

/**
 * What a submit does that finds a quota full. Where a task is under several full quotas, the one
 * that changes least decides: they stand here in that order.
 */
public enum WhenFull {
  /** The task is refused: {@code submit} throws, {@code trySubmit} says so. */
  REFUSE,

  /** The oldest task under the quota is the answer, instead of a new one. */
  EXISTING,

  /**
   * The running task that started first is asked to stop, and the new one is refused: a task counts
   * until it has ended. Submit again then. Where none is running, it is refused and no more.
   */
  CANCEL,

  /**
   * The oldest task that is not running is cancelled, and the new one takes its place. Where all
   * are running, or one place less would not be enough because the quota was higher before, the new
   * one is refused and nothing is cancelled.
   */
  REPLACE
}
