package dev.berth.view;

import dev.berth.limit.LimitKey;

/**
 * A counter of a limit that is not what it should be.
 *
 * @param group the slot group; 0 where the limit as a whole is meant
 * @param counted what the store has written down
 * @param actual what it should be
 */
public record Drift(LimitKey key, Counter counter, int group, long counted, long actual) {

  /** What is counted. */
  public enum Counter {
    /** Slots in use: must be those that running tasks hold. */
    USED,
    /** Slots of all groups: must be those of the limit. */
    CAPACITY,
    /** Groups of a key that nobody uses: must be none. */
    UNUSED
  }
}
