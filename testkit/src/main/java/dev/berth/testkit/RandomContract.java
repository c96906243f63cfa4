package dev.berth.testkit;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A long run of random calls, checked after each. A failure names its seed; {@code
 * -Dberth.seed=NUMBER} runs that seed alone, {@code -Dberth.seeds=NUMBER} runs so many.
 */
@Tag("race")
abstract class RandomContract extends ContractTest {

  private static final int STEPS = 250;

  static LongStream seeds() {
    Long chosen = Long.getLong("berth.seed");
    return chosen != null
        ? LongStream.of(chosen)
        : LongStream.rangeClosed(1, Long.getLong("berth.seeds", 5));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("dev.berth.testkit.RandomContract#seeds")
  void noTaskIsLostOrRunTwice(long seed) {
    new RandomRun(fixture, seed).run(STEPS);
  }
}
