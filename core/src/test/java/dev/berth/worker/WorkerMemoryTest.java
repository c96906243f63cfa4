package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.store.ExchangeRequest;
import dev.berth.store.SizeCap;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Payloads and results have a size, and memory may run out. */
class WorkerMemoryTest extends WorkerFixture {

  private static final String LARGE = "x".repeat(1_000);
  private static final int METADATA = "of".length() + "test".length();

  @Test
  void whatIsInFlightCountsAgainstTheNextClaim() {
    CountDownLatch go = new CountDownLatch(1);
    builder.claimBatchSize(1).handle(TEXT, (payload, task) -> arrive(go));
    store.add(TEXT, LARGE);
    store.add(TEXT, LARGE);
    start();
    await().until(() -> claiming().size() >= 3);

    long most = claiming().getFirst().bytes();
    assertThat(claiming().stream().map(request -> most - request.bytes()).limit(3))
        .containsExactly(0L, 1_000L + METADATA, 2 * (1_000L + METADATA));
    go.countDown();
    await().until(() -> claiming().getLast().bytes() == most);
  }

  @Test
  void aResultCountsUntilItIsRecorded() {
    builder.answer(ECHO, (payload, task) -> LARGE);
    TaskId id = store.add(ECHO, "a");
    Worker worker = start();
    outcome(id);
    await().until(() -> worker.stats().finished() == 1);

    long most = claiming().getFirst().bytes();
    int before = claiming().size();
    await().until(() -> claiming().size() > before);
    assertThat(claiming().getLast().bytes()).isEqualTo(most);
  }

  @Test
  void claimsForWhichThereIsNoMemoryGoBackUnreadAndRunLater() {
    builder.handle(TEXT, (payload, task) -> {});
    TaskId a = store.add(TEXT, "a");
    TaskId b = store.add(TEXT, "b");
    store.next(ScriptedStore.Fault.NO_MEMORY);
    Worker worker = start();

    for (TaskId id : List.of(a, b)) {
      assertThat(outcomes(id, 2))
          .containsExactly(new Outcome.Released(), new Outcome.Finished(null));
    }
    List<ExchangeRequest> requests = store.requests();
    assertThat(requests.get(1)).isEqualTo(requests.getFirst().unread());
    assertThat(claiming().get(2).bytes()).as("one at a time at first").isLessThan(5);
    await().until(() -> worker.stats().inFlight() == 0);
    assertThat(worker.stats().sessionsLost()).isZero();
  }

  @Test
  void aPayloadThatDoesNotFitAloneFailsItsAttempt() {
    builder.handle(TEXT, (payload, task) -> {});
    TaskId id = store.add(TEXT, "a");
    store.next(ScriptedStore.Fault.NO_MEMORY);
    start();

    assertThat(outcomes(id, 2))
        .containsExactly(
            new Outcome.Retrying(
                "The payload did not fit into the memory of its worker: give it a larger heap, or"
                    + " keep what is large elsewhere and submit where it is",
                Duration.ZERO),
            new Outcome.Finished(null));
  }

  @Test
  void aPayloadThatCannotBeDecodedForWantOfMemoryGoesBackWhileOthersRun() {
    CountDownLatch others = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    WorkerBuilder own =
        new WorkerBuilder(
                store,
                new TextCodec() {
                  @Override
                  public <T> T decode(String json, Class<T> type) {
                    if (json.equals("large")) {
                      throw new OutOfMemoryError("made up");
                    }
                    return super.decode(json, type);
                  }
                })
            .environment(Map.of())
            .pollInterval(Duration.ofMillis(10))
            .handle(
                TEXT,
                (payload, task) -> {
                  others.countDown();
                  arrive(go);
                });
    store.add(TEXT, "small");
    try (Worker worker = own.start()) {
      await().until(() -> others.getCount() == 0);
      TaskId large = store.add(TEXT, "large");

      assertThat(outcome(large)).isEqualTo(new Outcome.Released(Duration.ofSeconds(1)));
      go.countDown();
      await()
          .until(() -> store.outcomes(large).stream().anyMatch(Outcome.Failed.class::isInstance));
      assertThat(worker.stats().sessionsLost()).isZero();
    }
  }

  @Test
  void aResultThatIsTooLargeFailsItsAttempt() {
    builder.answer(ECHO, (payload, task) -> "x".repeat(SizeCap.DEFAULT.bytes() + 1));
    TaskId id = store.add(ECHO, "a");
    start();

    assertThat(outcome(id))
        .isEqualTo(
            new Outcome.Failed(
                "The result of a task of type echo has 1048577 bytes; at most 1048576 are allowed:"
                    + " keep what is large elsewhere and say where it is, or raise the number with"
                    + " berth.set_size_cap"));
  }

  private List<ExchangeRequest> claiming() {
    return store.requests().stream().filter(request -> request.claims() > 0).toList();
  }
}
