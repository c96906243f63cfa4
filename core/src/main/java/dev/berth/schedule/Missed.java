package dev.berth.schedule;

import java.time.Duration;

/** What becomes of occurrences that nobody was there to submit: no worker ran at their time. */
public enum Missed {
  /** One task for all of them: that of the latest. */
  ONCE,

  /** One task for each of them, whatever {@link Overlap} says; they run one after another. */
  ALL,

  /** None: an occurrence that is more than {@link #GRACE} late is left out. */
  NONE;

  /** An occurrence that is submitted this much late is not missed. */
  public static final Duration GRACE = Duration.ofSeconds(10);
}
