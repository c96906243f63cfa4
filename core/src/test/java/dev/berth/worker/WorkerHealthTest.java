package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkerHealthTest extends WorkerFixture {

  @Test
  void aWorkerTellsThatItRunsAndThatTheStoreAnswers() {
    Duration slow = Duration.ofMillis(20);
    store.slow(slow);
    builder.handle(TEXT, (payload, task) -> {});
    Worker worker = start();
    await().until(() -> worker.health().heartbeats().count() > 0);
    await().until(() -> worker.health().exchanges().count() > 0);

    WorkerHealth health = worker.health();
    assertThat(health.running()).isTrue();
    assertThat(health.sinceExchange()).isBetween(Duration.ZERO, Duration.ofSeconds(30));
    assertThat(health.sinceHeartbeat()).isBetween(Duration.ZERO, Duration.ofSeconds(30));
    assertThat(health.exchanges().p50()).isGreaterThanOrEqualTo(slow);
    worker.stop();
    assertThat(worker.health().running()).isFalse();
  }

  @Test
  void aStoreThatDoesNotAnswerShows() {
    builder.handle(TEXT, (payload, task) -> {});
    Worker worker = start();
    await().until(() -> worker.health().exchanges().count() > 0);
    store.down(true);

    await()
        .untilAsserted(() ->
            assertThat(worker.health().sinceExchange()).isGreaterThan(Duration.ofMillis(200)));
    assertThat(worker.health().running()).isTrue();
  }
}
