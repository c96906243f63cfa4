package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;

/**
 * A task that knows when it was submitted, to be compared in another process.
 *
 * @param micros since 1970
 */
record Stamp(int number, long micros) {

  static final TaskType<Stamp, Void> TYPE = TaskType.of("stamp", Stamp.class);

  /**
   * Submits one after the other: the first to warm both sides up, without pauses, the others with
   * pauses between, so that each finds the queue idle.
   */
  static void submit(Berth berth, int warmUp, int count, long longestPauseMillis)
      throws InterruptedException {
    for (int number = 0; number < warmUp; number++) {
      berth.submit(TYPE, new Stamp(number, now()));
    }
    SplittableRandom random = new SplittableRandom(count);
    for (int number = warmUp; number < warmUp + count; number++) {
      Thread.sleep(random.nextLong(longestPauseMillis / 2, longestPauseMillis + 1));
      berth.submit(TYPE, new Stamp(number, now()));
    }
  }

  double millisSince() {
    return (now() - micros) / 1e3;
  }

  private static long now() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
