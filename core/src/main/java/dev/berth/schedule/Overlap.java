package dev.berth.schedule;

/**
 * What becomes of an occurrence while a task of an earlier one is still pending or running. Two
 * tasks of one schedule never run at once, whatever is chosen: they share a limit of one slot.
 */
public enum Overlap {
  /** It is left out. */
  SKIP,

  /** Its task waits for the earlier one. */
  QUEUE,

  /** Earlier tasks are cancelled; the new one starts once a running one has stopped. */
  CANCEL_OLDER
}
