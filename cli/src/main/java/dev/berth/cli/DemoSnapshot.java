package dev.berth.cli;

import dev.berth.worker.WorkerStats;
import java.time.Duration;

/**
 * How far a demo got.
 *
 * @param tasks how many there will be
 */
record DemoSnapshot(int tasks, long submitted, WorkerStats stats, Duration since) {

  long finished() {
    return stats.finished();
  }

  double seconds() {
    return since.toNanos() / 1e9;
  }

  /** Finished tasks a second, over the whole run. */
  double rate() {
    return finished() / Math.max(seconds(), 1e-9);
  }
}
