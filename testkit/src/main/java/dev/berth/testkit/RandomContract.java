package dev.berth.testkit;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A long run of random calls, checked after each. {@code -Dberth.seeds=NUMBER} makes so many runs,
 * {@code -Dberth.seed=NUMBER} replays one.
 */
@Tag("race")
abstract class RandomContract extends ContractTest {

  private static final int STEPS = 250;

  static LongStream seeds() {
    return Seeds.of("random runs", Integer.getInteger("berth.seeds", 5));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("dev.berth.testkit.RandomContract#seeds")
  void noTaskIsLostOrRunTwice(long seed) {
    new RandomRun(fixture, seed).run(STEPS);
  }
}
