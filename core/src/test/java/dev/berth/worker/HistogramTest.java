package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {

  private final Histogram histogram = new Histogram();

  @Test
  void nothingCountedIsZero() {
    assertThat(histogram.times())
        .isEqualTo(new WorkerHealth.Times(0, Duration.ZERO, Duration.ZERO, Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 7, 8, 1_000, 999_999, 1_048_576, 3_600_000_000_000L})
  void oneTimeIsAtMostAQuarterTooLong(long nanos) {
    histogram.add(nanos);

    assertThat(histogram.times().p50().toNanos()).isBetween(nanos, nanos + nanos / 4);
  }

  @Test
  void anyTimeIsCounted() {
    for (long nanos : new long[] {-1, 0, 1, Long.MAX_VALUE}) {
      histogram.add(nanos);
    }

    assertThat(histogram.times().count()).isEqualTo(4);
    assertThat(histogram.times().p99()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
  }

  @Test
  void percentilesPartThoseThatAreQuickFromThoseThatAreSlow() {
    for (int i = 1; i <= 100; i++) {
      histogram.add(Duration.ofMillis(i).toNanos());
    }

    WorkerHealth.Times times = histogram.times();
    assertThat(times.count()).isEqualTo(100);
    assertThat(times.p50()).isBetween(Duration.ofMillis(50), Duration.ofMillis(63));
    assertThat(times.p95()).isBetween(Duration.ofMillis(95), Duration.ofMillis(119));
    assertThat(times.p99()).isBetween(Duration.ofMillis(99), Duration.ofMillis(124));
  }
}
