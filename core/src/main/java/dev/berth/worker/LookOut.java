package dev.berth.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * When an idle worker looks for work: at once after a hint, else once per poll interval, jittered,
 * so that workers started together do not all ask in the same instant.
 */
final class LookOut {

  private final long pollInterval;
  private final Signal signal;
  private volatile long hintAt = Ticks.NEVER;
  private long pollAt;

  LookOut(Duration pollInterval, Signal signal) {
    this.pollInterval = Ticks.nanos(pollInterval);
    this.signal = signal;
  }

  /** What ends the wait of the exchange loop. */
  Signal signal() {
    return signal;
  }

  /** Work may exist. */
  void hint() {
    long now = Ticks.now();
    if (hintAt > now) {
      hintAt = now;
      signal.raise();
    }
  }

  /** Work may exist after this time; only the exchange loop says so. */
  void hintIn(Duration wait) {
    hintAt = Math.min(hintAt, Ticks.after(wait));
  }

  /** The tick of the next look; only the exchange loop asks. */
  long next() {
    return Math.min(hintAt, pollAt);
  }

  /** A look begins: hints that come from now on are for the next one. */
  void looking() {
    hintAt = Ticks.NEVER;
  }

  /** A look is over. */
  void looked() {
    long jitter = ThreadLocalRandom.current().nextLong(pollInterval / 5 + 1);
    pollAt = Ticks.now() + pollInterval - pollInterval / 10 + jitter;
  }
}
