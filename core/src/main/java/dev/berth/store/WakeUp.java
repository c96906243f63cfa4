package dev.berth.store;

import java.time.Duration;

/**
 * A hint that work may exist.
 *
 * @param queue where
 * @param in after which time: zero for work that is due
 */
public record WakeUp(String queue, Duration in) {

  public boolean now() {
    return in.isZero() || in.isNegative();
  }
}
