package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.store.ExchangeRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a worker measures of its memory and its store decides how much it asks for. */
class PressureTest extends WorkerFixture {

  private static final Duration HIGH = Duration.ofMillis(2);

  /** Any process has taken more than that. */
  private static final double VERY_LITTLE_MEMORY = 0.000_01;

  @ParameterizedTest
  @CsvSource({
    // short of memory, slow store, asked for at first, asked for once an exchange was answered
    "false, false, 50, 50",
    "true, false, 25, 25",
    "false, true, 50, 35",
    "true, true, 25, 17",
  })
  void asksForLessUnderPressure(boolean memory, boolean slow, int first, int then) {
    builder
        .claimBatchSize(50)
        .memoryThreshold(memory ? VERY_LITTLE_MEMORY : 1)
        .latencyThreshold(slow ? HIGH : Duration.ofHours(1))
        .handle(TEXT, (payload, task) -> {});
    store.slow(HIGH.multipliedBy(2));
    start();

    assertThat(asked(3)).startsWith(first, then, then);
  }

  @Test
  void asksForABatchAgainWhenTheStoreIsQuick() {
    Duration high = Duration.ofMillis(100);
    builder.claimBatchSize(50).latencyThreshold(high).handle(TEXT, (payload, task) -> {});
    store.slow(high.plusMillis(10));
    start();
    assertThat(asked(2)).startsWith(50, 35);
    store.slow(Duration.ZERO);

    await().until(() -> store.requests().getLast().claims() == 50);
  }

  private List<Integer> asked(int exchanges) {
    await().until(() -> store.requests().size() >= exchanges);
    return store.requests().stream().map(ExchangeRequest::claims).toList();
  }
}
