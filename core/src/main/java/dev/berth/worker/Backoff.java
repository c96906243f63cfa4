package dev.berth.worker;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The pauses between tries of a store that does not answer: 100 ms doubling to 5 s, jittered. */
final class Backoff {

  private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST = TimeUnit.SECONDS.toNanos(5);
  private static final int DOUBLINGS = 6;

  private Backoff() {}

  /**
   * Nanoseconds to wait after so many tries in a row have failed; up to half of it at random, so
   * that workers do not come back all at once.
   */
  static long afterFailures(int failures, RandomGenerator random) {
    int doublings = Math.min(Math.max(failures, 1) - 1, DOUBLINGS);
    long longest = Math.min(LONGEST, SHORTEST << doublings);
    return longest - random.nextLong(longest / 2);
  }
}
