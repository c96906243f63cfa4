package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.worker.Backpressure.Pressure;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackpressureTest {

  private static final long HIGH = Duration.ofMillis(500).toNanos();

  private static final long MOST = 1_000;

  private static Backpressure batch(int size) {
    return new Backpressure(size, 0.8, 0.7, HIGH, HIGH / 2, MOST);
  }

  @ParameterizedTest
  @CsvSource({
    // batch, free, memory, latency, claims
    "50, 1000, false, false, 50",
    "50, 30, false, false, 30",
    "50, 1, false, false, 1",
    "50, 0, false, false, 0",
    "50, -3, false, false, 0",
    "50, 1000, true, false, 25",
    "50, 1000, false, true, 35",
    "50, 1000, true, true, 17",
    "50, 9, true, true, 9",
    "1, 1000, true, true, 1",
    "1, 1, true, true, 1",
    "1, 0, true, true, 0",
    "2, 5, true, false, 1",
  })
  void claimSize(int batch, int free, boolean memory, boolean latency, int claims) {
    assertThat(batch(batch).claimSize(new Pressure(memory, latency), free, 0)).isEqualTo(claims);
  }

  @ParameterizedTest
  @CsvSource({
    // memory before, memory, memory after
    "false, 0.69, false",
    "false, 0.75, false",
    "false, 0.80, false",
    "false, 0.81, true",
    "true, 0.81, true",
    "true, 0.75, true",
    "true, 0.70, false",
    "true, 0.10, false",
  })
  void memoryHasTwoWatermarks(boolean before, double memory, boolean after) {
    Pressure next = batch(50).next(new Pressure(before, false), memory, 0);
    assertThat(next).isEqualTo(new Pressure(after, false));
  }

  @ParameterizedTest
  @CsvSource({
    // latency before, milliseconds, latency after
    "false, 249, false",
    "false, 500, false",
    "false, 501, true",
    "true, 499, true",
    "true, 251, true",
    "true, 250, false",
  })
  void latencyHasTwoWatermarks(boolean before, long millis, boolean after) {
    long latency = Duration.ofMillis(millis).toNanos();
    Pressure next = batch(50).next(new Pressure(false, before), 0, latency);
    assertThat(next).isEqualTo(new Pressure(false, after));
  }

  @ParameterizedTest
  @CsvSource({
    // free, max, latency in µs, wait in µs
    "1, 1000, 800, 800",
    "49, 1000, 800, 800",
    "50, 1000, 800, 0",
    "500, 1000, 800, 0",
    "1, 1000, 90000, 2000",
    "4, 50, 300, 300",
    "5, 50, 300, 0",
    "1, 10, 300, 0",
    "1, 9, 300, 0",
    "1, 1, 300, 0",
  })
  void gathersWhenPermitsAreScarce(int free, int max, long latency, long wait) {
    assertThat(batch(50).gathering(free, max, latency * 1_000)).isEqualTo(wait * 1_000);
  }

  @ParameterizedTest
  @CsvSource({
    // in flight, at once, bytes
    "0, 1000, 1000",
    "400, 1000, 600",
    "400, 100, 100",
    "999, 1000, 1",
    "1000, 1000, 0",
    "5000, 1, 0",
  })
  void claimBytes(long inFlight, long atOnce, long bytes) {
    assertThat(batch(50).claimBytes(inFlight, atOnce)).isEqualTo(bytes);
  }

  @Test
  void afterMemoryRanOutItClaimsTwiceAsMuchWithEachExchange() {
    Throttle throttle = new Throttle(batch(50), 100);
    throttle.ranOut();
    assertThat(throttle.claimBytes(0)).isEqualTo(1);
    for (int i = 0; i < 9; i++) {
      throttle.answered(1);
    }
    assertThat(throttle.claimBytes(0)).isEqualTo(512);
    throttle.answered(1);
    assertThat(throttle.claimBytes(0)).isEqualTo(MOST);
  }

  @Test
  void aCallTakesAsManyAsItHandsIn() {
    assertThat(batch(50).claimSize(Pressure.NONE, 1000, 80)).isEqualTo(80);
    assertThat(batch(50).claimSize(Pressure.NONE, 60, 80)).isEqualTo(60);
    assertThat(batch(50).claimSize(new Pressure(true, false), 1000, 80)).isEqualTo(40);
  }

  @Test
  void aWorkerOfAnySizeClaimsWithOnePermitFree() {
    for (int max = 1; max <= 2_000; max++) {
      assertThat(batch(50).claimSize(new Pressure(true, true), 1, 0)).isEqualTo(1);
      assertThat(batch(50).gathering(1, max, Long.MAX_VALUE)).isLessThanOrEqualTo(2_000_000);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // batch, free, claims, pressed, most
    "50, 1000, 50, false, 500",
    "50, 10000, 50, false, 500",
    "50, 200, 50, false, 100",
    "50, 60, 50, false, 50",
    "500, 1000, 500, false, 500",
    "1, 1000, 1, false, 10",
    "50, 1000, 35, true, 35",
  })
  void withStandbys(int batch, int free, int claims, boolean pressed, int most) {
    assertThat(batch(batch).withStandbys(new Pressure(false, pressed), free, claims))
        .isEqualTo(most);
  }
}
