package dev.berth.worker;

import dev.berth.store.Capacity;

/** Feeds {@link Backpressure} with what is measured; used by the exchange loop only. */
final class Throttle {

  /** How much one exchange counts in the smoothed latency. */
  private static final double WEIGHT = 0.2;

  private final Backpressure rule;
  private final int max;
  private final MemoryUse memory = new MemoryUse();
  private Backpressure.Pressure pressure = Backpressure.Pressure.NONE;
  private double latency;

  Throttle(WorkerSettings settings) {
    this.rule = Backpressure.of(settings);
    this.max = settings.maxConcurrentTasks();
  }

  int max() {
    return max;
  }

  /** An exchange was answered after so many nanoseconds. */
  void answered(long took) {
    latency = latency == 0 ? took : latency + WEIGHT * (took - latency);
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
