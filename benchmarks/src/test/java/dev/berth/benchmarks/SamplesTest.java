package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void theMedianIsInTheMiddle() {
    assertThat(new Samples(List.of(9.0, 1.0, 2.0)).median()).isEqualTo(2);
    assertThat(new Samples(List.of(4.0, 1.0, 2.0, 9.0)).median()).isEqualTo(3);
    assertThat(Samples.of(7).median()).isEqualTo(7);
  }

  @Test
  void aPercentileLiesBetweenValues() {
    Samples samples = new Samples(List.of(0.0, 10.0));
    assertThat(samples.percentile(0)).isZero();
    assertThat(samples.percentile(25)).isEqualTo(2.5);
    assertThat(samples.max()).isEqualTo(10);
  }

  @Test
  void theSpreadIsAPartOfTheMedian() {
    assertThat(new Samples(List.of(8.0, 10.0, 13.0)).spread()).isEqualTo(0.5);
    assertThat(new Samples(List.of(0.0, 0.0)).spread()).isZero();
  }
}
