package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Code that says itself how its attempts end. */
class DecisionTest extends WorkerFixture {

  @Test
  void whatItSaysIsHandedIn() {
    builder.decide(
        TEXT,
        (payload, task) ->
            Decision.of(
                payload.equals("again") && task.attempt() == 1
                    ? new Outcome.Retrying("busy", Duration.ZERO)
                    : new Outcome.Failed("x".repeat(5_000))));
    TaskId again = store.add(TEXT, "again");
    start();

    assertThat(outcomes(again, 2))
        .satisfiesExactly(
            first -> assertThat(first).isEqualTo(new Outcome.Retrying("busy", Duration.ZERO)),
            second ->
                assertThat(second)
                    .isInstanceOfSatisfying(
                        Outcome.Failed.class, failed -> assertThat(failed.error()).hasSize(4_000)));
  }

  @Test
  void whatItHasRecordedIsCountedAndNotHandedIn() {
    builder.decide(TEXT, (payload, task) -> Decision.recorded(new Outcome.Finished(null)));
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();

    await().until(() -> worker.stats().finished() == 1 && worker.stats().inFlight() == 0);
    assertThat(store.outcomes(id)).isEmpty();
    assertThat(worker.stats().staleOutcomes()).isZero();
  }

  @Test
  void aDelayThatWouldOverflowIsAFailureWithASentence() {
    builder.decide(
        TEXT.retry(Retry.never()),
        (payload, task) ->
            Decision.of(new Outcome.Retrying("busy", Duration.ofSeconds(Long.MAX_VALUE))));
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcome(id)).error())
        .contains("The delay of a retry can be zero to 365000 days");
  }

  @Test
  void whatItThrowsIsAFailure() {
    AtomicInteger runs = new AtomicInteger();
    builder.decide(
        TEXT,
        (payload, task) -> {
          throw new IllegalStateException("run " + runs.incrementAndGet());
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcomes(id, 1).getFirst())
        .isInstanceOfSatisfying(
            Outcome.Retrying.class, retry -> assertThat(retry.error()).contains("run 1"));
  }
}
