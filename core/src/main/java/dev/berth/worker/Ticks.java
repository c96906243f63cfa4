package dev.berth.worker;

import java.time.Duration;

/**
 * Nanoseconds since this class was loaded. Unlike {@link System#nanoTime()} they never overflow, so
 * two of them can be compared with {@code <} and {@link #NEVER} is later than all.
 */
final class Ticks {

  static final long NEVER = Long.MAX_VALUE;

  private static final long ORIGIN = System.nanoTime();

  private Ticks() {}

  static long now() {
    return System.nanoTime() - ORIGIN;
  }

  /** So long from now; for ever stays for ever. */
  static long after(Duration wait) {
    return plus(now(), nanos(wait));
  }

  static long plus(long tick, long nanos) {
    return nanos > NEVER - tick ? NEVER : tick + nanos;
  }

  /** In nanoseconds, cut off where they do not fit. */
  static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? NEVER : duration.toNanos();
  }
}
