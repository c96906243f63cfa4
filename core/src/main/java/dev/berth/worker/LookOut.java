package dev.berth.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * When an idle worker looks for work: at once after a hint, else once per poll interval, jittered,
 * so that workers started together do not all ask in the same instant. Where hints are known to
 * arrive and nothing was found for a while, ten times as rarely: that much a lost hint can cost.
 *
 * <p>Hints are believed as long as there is something in them: any role of the database can send as
 * many as it likes, and many are for work that others take. After ten in a row that led to nothing
 * a worker follows at most four per poll interval.
 */
final class LookOut {

  /** After so many looks that found nothing a worker is idle, */
  private static final int IDLE = 10;

  /** and looks so many times as rarely. */
  private static final int RARELY = 10;

  /** After so many hints in a row that led to nothing it believes them less, */
  private static final int MISLED = 10;

  /** and follows so many per poll interval. */
  private static final int FOLLOWED = 4;

  private final long pollInterval;
  private final Signal signal;
  private volatile long hintAt = Ticks.NEVER;
  private volatile BooleanSupplier heard = () -> false;
  private long pollAt;
  private int inVain;
  private boolean hinted;
  private int misled;
  private long followFrom;

  LookOut(Duration pollInterval, Signal signal) {
    this.pollInterval = Ticks.nanos(pollInterval);
    this.signal = signal;
  }

  /** Asks this from now on whether hints are known to arrive. */
  void hearing(BooleanSupplier nowHeard) {
    heard = nowHeard;
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
    return Math.min(Math.max(hintAt, followFrom), pollAt);
  }

  /** A look begins: hints that come from now on are for the next one. */
  void looking() {
    hinted = hintAt <= Ticks.now();
    hintAt = Ticks.NEVER;
  }

  /** A look is over, and whether it found anything. */
  void looked(boolean found) {
    inVain = found ? 0 : Math.min(IDLE, inVain + 1);
    misled = found ? 0 : Math.min(MISLED, misled + (hinted ? 1 : 0));
    followFrom = misled < MISLED ? 0 : Ticks.now() + pollInterval / FOLLOWED;
    long interval = inVain == IDLE && heard.getAsBoolean() ? RARELY * pollInterval : pollInterval;
    long jitter = ThreadLocalRandom.current().nextLong(interval / 5 + 1);
    pollAt = Ticks.now() + interval - interval / 10 + jitter;
  }
}
