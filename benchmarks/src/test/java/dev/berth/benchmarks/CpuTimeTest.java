package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuTimeTest {

  private static final String BEFORE =
      "cpu  100 0 50 800 20 0 10 20 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
  private static final String AFTER =
      "cpu  160 0 70 860 40 0 10 60 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";

  @Test
  void tellsWhatWasDoneAndWhatOthersGot() {
    CpuTime between = CpuTime.of(AFTER).since(CpuTime.of(BEFORE));

    assertThat(between).isEqualTo(new CpuTime(200, 80, 40));
    assertThat(between.busyPart()).isEqualTo(0.4);
    assertThat(between.stolenPart()).isEqualTo(0.2);
  }

  @Test
  void nothingHappenedInNoTime() {
    CpuTime now = CpuTime.of(BEFORE);

    assertThat(now.since(now).busyPart()).isZero();
    assertThat(now.since(now).stolenPart()).isZero();
  }
}
