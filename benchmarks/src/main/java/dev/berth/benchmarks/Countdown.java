package dev.berth.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Counts tasks that ended, told of from many sides, down to zero. */
final class Countdown implements LongConsumer {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private long left;
  private long over;

  synchronized void from(long count) {
    left = count;
  }

  @Override
  public synchronized void accept(long ended) {
    left -= ended;
    if (left <= 0) {
      over = System.nanoTime();
      notifyAll();
    }
  }

  /** When it was over, as {@link System#nanoTime} has it. */
  synchronized long awaitZero() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (left > 0) {
      long patience = deadline - System.nanoTime();
      if (patience <= 0) {
        throw new IllegalStateException("%d tasks did not end in %s".formatted(left, PATIENCE));
      }
      TimeUnit.NANOSECONDS.timedWait(this, patience);
    }
    return over;
  }
}
