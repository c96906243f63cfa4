package dev.berth.worker;

import dev.berth.view.Capacity;

/** Feeds {@link Backpressure} with what is measured; used by the exchange loop only. */
final class Throttle {

  /** How much one exchange counts in the smoothed latency. */
  private static final double WEIGHT = 0.2;

  private final Backpressure rule;
  private final int max;
  private final MemoryUse memory = new MemoryUse();
  private Backpressure.Pressure pressure = Backpressure.Pressure.NONE;
  private double latency;
  private long bytesAtOnce;

  Throttle(WorkerSettings settings) {
    this(Backpressure.of(settings), settings.maxConcurrentTasks());
  }

  Throttle(Backpressure rule, int max) {
    this.rule = rule;
    this.max = max;
    this.bytesAtOnce = rule.mostBytes();
  }

  int max() {
    return max;
  }

  /** An exchange was answered after so many nanoseconds. */
  void answered(long took) {
    bytesAtOnce = rule.more(bytesAtOnce);
    latency = latency == 0 ? took : latency + WEIGHT * (took - latency);
  }

  /** The answer of an exchange did not fit into memory. */
  void ranOut() {
    bytesAtOnce = Backpressure.ONE_TASK;
  }

  /** How many bytes the next call may claim with so many in flight. */
  long claimBytes(long inFlight) {
    return rule.claimBytes(inFlight, bytesAtOnce);
  }

  /** Of an exchange, smoothed, in nanoseconds. */
  long latency() {
    return (long) latency;
  }

  int claimSize(int free, int slots) {
    pressure = rule.next(pressure, memory.used(), (long) latency);
    return rule.claimSize(pressure, free, slots);
  }

  /** After {@link #claimSize}: how many tasks to ask for with all standbys. */
  int most(int free, int claims) {
    return rule.withStandbys(pressure, free, claims);
  }

  long gathering(int free) {
    return rule.gathering(free, max, (long) latency);
  }

  /** For the heartbeat; may be called from any thread. */
  Capacity capacity(int inFlight) {
    return new Capacity(Math.max(0, max - inFlight), max, memory.used());
  }
}
