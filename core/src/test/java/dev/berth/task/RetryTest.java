package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryTest {

  private static final Exception ANY = new IllegalStateException();

  private final Random random = new Random(1);

  @ParameterizedTest
  @CsvSource({"1, 1000", "2, 2000", "3, 4000", "4, 8000"})
  void theDefaultDoublesFromOneSecondWithUpToHalfAtRandom(int failures, long longest) {
    for (int i = 0; i < 100; i++) {
      assertThat(Retry.DEFAULT.delayAfter(failures, ANY, random).getAsLong())
          .isBetween(longest / 2, longest);
    }
    assertThat(Retry.DEFAULT.delayAfter(5, ANY, random)).isEmpty();
  }

  @Test
  void aFixedDelayIsAlwaysTheSame() {
    Retry retry = Retry.fixed(3, Duration.ofMillis(70));
    assertThat(retry.delayAfter(1, ANY, random)).isEqualTo(OptionalLong.of(70));
    assertThat(retry.delayAfter(2, ANY, random)).isEqualTo(OptionalLong.of(70));
    assertThat(retry.delayAfter(3, ANY, random)).isEmpty();
  }

  @Test
  void theDelayIsCappedHoweverManyFailures() {
    Retry retry =
        Retry.exponential(Integer.MAX_VALUE, Duration.ofSeconds(1), Duration.ofMinutes(1))
            .jitter(0)
            .factor(10);
    assertThat(retry.delayAfter(2, ANY, random)).isEqualTo(OptionalLong.of(10_000));
    assertThat(retry.delayAfter(3, ANY, random)).isEqualTo(OptionalLong.of(60_000));
    assertThat(retry.delayAfter(1_000_000, ANY, random)).isEqualTo(OptionalLong.of(60_000));
  }

  @Test
  void neverMeansNever() {
    assertThat(Retry.never().delayAfter(1, ANY, random)).isEmpty();
  }

  @Test
  void someFailuresGiveUpAtOnce() {
    Retry retry = Retry.DEFAULT.giveUpOn(IOException.class);
    assertThat(retry.delayAfter(1, new FileNotFoundException(), random)).isEmpty();
    assertThat(retry.delayAfter(1, ANY, random)).isPresent();
  }

  @Test
  void onlySomeFailuresAreTriedAgain() {
    Retry retry = Retry.DEFAULT.giveUpOn(FileNotFoundException.class).retryOn(IOException.class);
    assertThat(retry.delayAfter(1, new IOException(), random)).isPresent();
    assertThat(retry.delayAfter(1, new FileNotFoundException(), random)).isEmpty();
    assertThat(retry.delayAfter(1, ANY, random)).isEmpty();
  }

  @Test
  void theSameSeedGivesTheSameDelay() {
    assertThat(Retry.DEFAULT.delayAfter(1, ANY, new Random(9)))
        .isEqualTo(Retry.DEFAULT.delayAfter(1, ANY, new Random(9)));
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> Retry.attempts(0)).hasMessageContaining("at least 1 attempt, not 0");
    assertThatThrownBy(() -> Retry.DEFAULT.factor(0.5)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Retry.DEFAULT.factor(Double.NaN)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Retry.DEFAULT.jitter(1.5)).hasMessageContaining("from 0 to 1");
    assertThatThrownBy(() -> Retry.DEFAULT.factor(Double.POSITIVE_INFINITY))
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Retry.fixed(2, Duration.ofSeconds(-1)))
        .hasMessage("The delay of a retry can be zero to 365000 days, not PT-1S");
  }
}
