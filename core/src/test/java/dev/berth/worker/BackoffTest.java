package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

  @ParameterizedTest
  @CsvSource({"1, 100", "2, 200", "4, 800", "6, 3200", "7, 5000", "1000000, 5000"})
  void doublesUpToFiveSeconds(int failures, long longestMillis) {
    Random random = new Random(7);
    for (int i = 0; i < 100; i++) {
      Duration pause = Duration.ofNanos(Backoff.afterFailures(failures, random));
      assertThat(pause)
          .isBetween(Duration.ofMillis(longestMillis / 2), Duration.ofMillis(longestMillis));
    }
  }
}
