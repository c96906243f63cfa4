package dev.berth.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScaleTest {

  @Test
  void marksAreRoundNumbersThatTheValueFitsUnder() {
    assertThat(Scale.upTo(22).values()).containsExactly(0.0, 5.0, 10.0, 15.0, 20.0, 25.0);
    assertThat(Scale.upTo(10).max()).isEqualTo(10);
    assertThat(Scale.upTo(41_000).max()).isEqualTo(50_000);
    assertThat(Scale.upTo(0.0042).max()).isBetween(0.0042, 0.006);
    assertThat(Scale.upTo(0).max()).isEqualTo(1);
  }

  @Test
  void labelsHaveTheDigitsTheyNeed() {
    assertThat(Scale.upTo(41_000).label(20_000)).isEqualTo("20,000");
    assertThat(Scale.upTo(0.9).label(0.4)).isEqualTo("0.4");
    assertThat(Scale.upTo(8).label(4)).isEqualTo("4");
    assertThat(Scale.upTo(8).exactly(4.26)).isEqualTo("4.3");
    assertThat(Scale.upTo(41_000).exactly(20_123.4)).isEqualTo("20,123");
  }
}
