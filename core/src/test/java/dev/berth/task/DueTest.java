package dev.berth.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.value.Durations;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DueTest {

  @Test
  void noDelayIsNow() {
    assertThat(Due.after(Duration.ZERO)).isEqualTo(Due.NOW);
  }

  @Test
  void aDelayIsNeitherNegativeNorEndless() {
    assertThatThrownBy(() -> Due.after(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.001S");
    assertThatThrownBy(() -> Due.after(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Due.after(Durations.LONGEST)).isEqualTo(new Due.After(Durations.LONGEST));
  }

  @Test
  void anInstantMayLieInThePastButNotBeyondAnyStore() {
    assertThat(Due.at(Instant.MIN)).isEqualTo(new Due.At(Instant.MIN));
    assertThatThrownBy(() -> Due.at(Instant.MAX))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999-12-31");
  }
}
