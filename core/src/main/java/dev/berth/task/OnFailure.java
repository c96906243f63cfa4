package dev.berth.task;

/** What becomes of the steps after one that has failed for good or was cancelled. */
public enum OnFailure {
  /** They wait, for all to see, until a person retries or skips it, or cancels the workflow. */
  HALT,
  /** They run all the same. */
  CONTINUE,
  /** They are cancelled. */
  CANCEL_REST
}
