package dev.berth.worker;

/**
 * How much new work a worker asks for. A pure rule: everything it looks at is passed in.
 *
 * <p>Three signals, each cheap to be wrong about in the safe direction. <em>Free permits</em> cap
 * the claim. <em>Memory</em> above its threshold halves it. <em>Store latency</em> above its
 * threshold cuts it by 30 %; this is the time of an exchange, not of a task, because a slow handler
 * is no reason to claim less. Memory and latency are watched with two watermarks each, so that a
 * value near the threshold does not make the claim size flutter. However great the pressure, one
 * task is claimed while a permit is free: less would be a stall that nothing ends.
 *
 * <p>A count says nothing of fifty payloads of five megabytes. So what is in flight has a
 * <em>size</em> as well: a sixteenth of the heap, for a payload is there several times over, as the
 * bytes that came, as text, as what it was decoded to and as what the handler makes of it. Once
 * payloads and results take that much, nothing is claimed until some have ended. After memory ran
 * out it is one task at a time, then twice as much with each exchange.
 */
record Backpressure(
    int batch,
    double memoryHigh,
    double memoryLow,
    long latencyHigh,
    long latencyLow,
    long mostBytes) {

  private static final int HEAP_PART = 16;

  /** One task, of whatever size. */
  static final long ONE_TASK = 1;

  private static final double MEMORY_LOW_BELOW_HIGH = 0.10;
  private static final double MEMORY_CUT = 0.5;
  private static final double LATENCY_CUT = 0.7;

  private static final int SCARCE_PART = 10;

  private static final int STANDBY_BATCHES = 10;

  private static final long LONGEST_GATHERING = 2_000_000;

  /** Which signals are over their threshold: the state that makes the hysteresis. */
  record Pressure(boolean memory, boolean latency) {
    static final Pressure NONE = new Pressure(false, false);
  }

  static Backpressure of(WorkerSettings settings) {
    long latencyHigh = Ticks.nanos(settings.latencyThreshold());
    return new Backpressure(
        settings.claimBatchSize(),
        settings.memoryThreshold(),
        Math.max(0, settings.memoryThreshold() - MEMORY_LOW_BELOW_HIGH),
        latencyHigh,
        latencyHigh / 2,
        Runtime.getRuntime().maxMemory() / HEAP_PART);
  }

  /**
   * The pressure after a new look at memory and latency.
   *
   * @param memory the used part, from 0 to 1
   * @param latency of exchanges, smoothed, in nanoseconds
   */
  Pressure next(Pressure before, double memory, long latency) {
    boolean memoryNow = memory > (before.memory ? memoryLow : memoryHigh);
    boolean latencyNow = latency > (before.latency ? latencyLow : latencyHigh);
    return memoryNow == before.memory && latencyNow == before.latency
        ? before
        : new Pressure(memoryNow, latencyNow);
  }

  /**
   * How many tasks to ask for with so many permits free: a batch, or as many as the call gives
   * slots back for, because these can then pass straight on.
   */
  int claimSize(Pressure pressure, int free, int slots) {
    if (free <= 0) {
      return 0;
    }
    double size = Math.max(batch, slots);
    if (pressure.memory) {
      size *= MEMORY_CUT;
    }
    if (pressure.latency) {
      size *= LATENCY_CUT;
    }
    return Math.min(free, Math.max(1, (int) size));
  }

  /**
   * How many bytes to ask for with so many in flight; 0: nothing fits.
   *
   * @param atOnce how many one exchange may claim just now
   */
  long claimBytes(long inFlight, long atOnce) {
    return Math.max(0, Math.min(atOnce, mostBytes - inFlight));
  }

  /** How many one exchange may claim, once one has that claimed so many. */
  long more(long atOnce) {
    return Math.min(mostBytes, 2 * atOnce);
  }

  /**
   * How many tasks to take with all standbys, given how many may start. An exchange costs little
   * more for ten batches than for one; but half of the permits stay for what can start at once.
   */
  int withStandbys(Pressure pressure, int free, int claims) {
    return pressure.equals(Pressure.NONE)
        ? Math.max(claims, Math.min(free / 2, STANDBY_BATCHES * batch))
        : claims;
  }

  /**
   * How long to wait for more permits before claiming under load, in nanoseconds: when less than a
   * tenth of them is free. With 1,000 tasks of 20 ms a permit falls free every 20 µs, and a round
   * trip for one of them is a waste. Waiting as long as an exchange takes at most doubles the time
   * a permit is idle, and never exceeds 2 ms, so a worker full of slow tasks still fills each one.
   *
   * @param free permits that the next exchange can fill
   */
  long gathering(int free, int max, long latency) {
    return free < Math.min(batch, max / SCARCE_PART) ? Math.min(latency, LONGEST_GATHERING) : 0;
  }
}
