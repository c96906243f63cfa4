package dev.berth.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts times in buckets of a fixed number, four for each power of two of nanoseconds: a
 * percentile is at most a quarter too long.
 */
final class Histogram {

  private static final int PARTS = 4;

  private final AtomicLongArray buckets = new AtomicLongArray(Long.SIZE * PARTS);

  void add(long nanos) {
    buckets.incrementAndGet(bucket(Math.max(PARTS, nanos)));
  }

  WorkerHealth.Times times() {
    long[] counts = new long[buckets.length()];
    long all = 0;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = buckets.get(i);
      all += counts[i];
    }
    return new WorkerHealth.Times(
        all, part(counts, all, 0.5), part(counts, all, 0.95), part(counts, all, 0.99));
  }

  private static Duration part(long[] counts, long all, double part) {
    long left = (long) Math.ceil(all * part);
    for (int i = 0; i < counts.length && left > 0; i++) {
      left -= counts[i];
      if (left <= 0) {
        return Duration.ofNanos(end(i));
      }
    }
    return Duration.ZERO;
  }

  /** The power of two, and the two bits behind its highest one. */
  private static int bucket(long nanos) {
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    return power * PARTS + (int) (nanos >>> power - 2 & PARTS - 1);
  }

  /** The longest time of a bucket. */
  private static long end(int bucket) {
    int power = bucket / PARTS;
    return (1L << power) + ((bucket % PARTS + 1L) << power - 2) - 1;
  }
}
