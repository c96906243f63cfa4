package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.store.Claim;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches, permits, and calls that fail. */
class ExchangeLoopTest extends WorkerFixture {

  private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();

  @Test
  void claimsOfALostReplyRunOnceAndHere() {
    builder.handle(TEXT, (payload, task) -> ran.add(payload));
    TaskId a = store.add(TEXT, "a");
    TaskId b = store.add(TEXT, "b");
    store.next(ScriptedStore.Fault.REPLY_LOST, ScriptedStore.Fault.REPLY_LOST);
    Worker worker = start();

    outcome(a);
    outcome(b);
    assertThat(ran).containsExactlyInAnyOrder("a", "b");
    List<ExchangeRequest> requests = store.requests();
    assertThat(requests.get(1)).isEqualTo(requests.get(0));
    assertThat(requests.get(2)).isEqualTo(requests.get(0));
    assertThat(requests.get(3).number()).isEqualTo(2);
    await().until(() -> worker.stats().finished() == 2);
    assertThat(worker.stats().claimed()).isEqualTo(2);
    assertThat(worker.stats().sessionsLost()).isZero();
  }

  @Test
  void outcomesOfALostReplyAreRecordedOnce() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(1)
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              arrive(go);
            });
    TaskId id = store.add(TEXT, "a");
    Worker worker = start();
    arrive(running);
    store.next(ScriptedStore.Fault.REPLY_LOST);
    go.countDown();

    await().until(() -> worker.stats().finished() == 1);
    assertThat(store.outcomes(id)).hasSize(1);
    assertThat(worker.stats().staleOutcomes()).isZero();
  }

  @Test
  void aCallThatDidNotTakePlaceIsRepeatedUnchanged() {
    builder.handle(TEXT, (payload, task) -> ran.add(payload));
    TaskId id = store.add(TEXT, "a");
    store.next(ScriptedStore.Fault.UNAVAILABLE, ScriptedStore.Fault.BUG);
    start();

    outcome(id);
    List<ExchangeRequest> requests = store.requests();
    assertThat(requests.get(1)).isSameAs(requests.get(0));
    assertThat(requests.get(2)).isSameAs(requests.get(0));
    assertThat(ran).containsExactly("a");
  }

  @Test
  void aPermitIsFreeOnlyWhenTheOutcomeIsDurable() {
    AtomicInteger started = new AtomicInteger();
    Semaphore go = new Semaphore(0);
    CountDownLatch gate = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(2)
        .handle(
            TEXT,
            (payload, task) -> {
              started.incrementAndGet();
              go.acquire();
            });
    for (int i = 0; i < 6; i++) {
      store.add(TEXT, "x");
    }
    Worker worker = start();
    await().until(() -> started.get() == 2);
    store.holdExchanges(gate);
    go.release(2);
    await().until(() -> go.availablePermits() == 0);

    assertThat(worker.stats().inFlight()).isEqualTo(2);
    assertThat(started).hasValue(2);
    store.holdExchanges(null);
    gate.countDown();
    go.release(4);
    await().until(() -> worker.stats().finished() == 6);
    assertThat(store.requests()).allMatch(request -> request.claims() <= 2);
  }

  @Test
  void neverMoreInFlightThanAllowed() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger peak = new AtomicInteger();
    builder
        .maxConcurrentTasks(7)
        .claimBatchSize(3)
        .handle(
            TEXT,
            (payload, task) -> {
              peak.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.yield();
              now.decrementAndGet();
            });
    for (int i = 0; i < 2_000; i++) {
      store.add(TEXT, "x");
    }
    Worker worker = start();

    await().until(() -> worker.stats().finished() == 2_000);
    assertThat(peak.get()).isBetween(1, 7);
    assertThat(store.requests())
        .allMatch(request -> request.claims() <= Math.max(3, request.ended().size()));
  }

  @Test
  void whatEndsDuringACallGoesIntoTheNextAltogether() {
    int many = 40;
    Semaphore go = new Semaphore(0);
    AtomicInteger started = new AtomicInteger();
    CountDownLatch gate = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(many)
        .claimBatchSize(10)
        .handle(
            TEXT,
            (payload, task) -> {
              started.incrementAndGet();
              go.acquire();
            });
    for (int i = 0; i < many; i++) {
      store.add(TEXT, "x");
    }
    Worker worker = start();
    await().until(() -> started.get() == many);
    store.holdExchanges(gate);
    int before = store.requests().size();
    go.release();
    await().until(() -> go.availablePermits() == 0);
    go.release(many - 1);
    await().until(() -> go.availablePermits() == 0);
    store.holdExchanges(null);
    gate.countDown();

    await().until(() -> worker.stats().finished() == many);
    List<Integer> handedIn =
        store.requests().stream().skip(before).map(request -> request.ended().size()).toList();
    assertThat(handedIn).anyMatch(size -> size > 10);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOutcomeTheStoreRefusesDoesNotKeepBackTheOthers(boolean claimsStand) {
    if (claimsStand) {
      store.claimApart();
    }
    builder.answer(ECHO, (payload, task) -> payload);
    store.refuse(ended ->
        ended.outcome() instanceof Outcome.Finished finished && "poison".equals(finished.result()));
    List<TaskId> good = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      good.add(store.add(ECHO, "good"));
    }
    TaskId poison = store.add(ECHO, "poison");
    good.add(store.add(ECHO, "good"));
    Worker worker = start();

    assertThat(good).extracting(this::outcome).containsOnly(new Outcome.Finished("good"));
    assertThat(outcome(poison))
        .isEqualTo(
            new Outcome.Failed(
                "The store refused the outcome of this attempt: cannot keep this outcome"));
    await().until(() -> worker.stats().inFlight() == 0);
  }

  @Test
  void aClaimThatTheStoreRefusesKeepsNoOutcomeBack() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(2)
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              arrive(go);
            });
    TaskId id = store.add(TEXT, "a");
    Worker worker = start();
    arrive(running);
    store.refuseClaims(true);
    TaskId next = store.add(TEXT, "b");
    store.wake(new dev.berth.store.WakeUp("default", Duration.ZERO));
    int calls = store.requests().size();
    await().until(() -> store.requests().size() > calls + 1);
    go.countDown();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished(null));
    assertThat(worker.stats().failed()).isZero();
    store.refuseClaims(false);
    assertThat(outcome(next)).isEqualTo(new Outcome.Finished(null));
  }

  @ParameterizedTest
  @EnumSource(names = {"INVALID", "CONFLICT"})
  void anOutcomeIsNotBlamedForTheClaimsOfItsCall(StoreException.Kind kind)
      throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(1)
        .answer(
            ECHO,
            (payload, task) -> {
              running.countDown();
              arrive(go);
              return payload;
            });
    TaskId id = store.add(ECHO, "a");
    Worker worker = start();
    arrive(running);
    store.refuseAs(kind);
    store.refuseClaims(true);
    TaskId next = store.add(ECHO, "b");
    go.countDown();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished("a"));
    assertThat(store.requests())
        .anyMatch(request -> request.claims() > 0 && !request.ended().isEmpty());
    assertThat(worker.stats().failed()).isZero();
    store.refuseClaims(false);
    assertThat(outcome(next)).isEqualTo(new Outcome.Finished("b"));
    await().until(() -> worker.stats().inFlight() == 0);
  }

  @Test
  void aConflictIsSplitToo() {
    store.refuseAs(StoreException.Kind.CONFLICT);
    anOutcomeTheStoreRefusesDoesNotKeepBackTheOthers(false);
  }

  @Test
  void anOutcomeRefusedInAnyFormIsGivenUp() {
    builder.handle(TEXT, (payload, task) -> ran.add(payload));
    TaskId poison = store.add(TEXT, "poison");
    store.refuse(ended -> ended.lease().task().equals(poison));
    Worker worker = start();
    await().until(() -> ran.size() == 1 && worker.stats().inFlight() == 0);

    outcome(store.add(TEXT, "next"));
  }

  @Test
  void aFailureWhoseTextIsRefusedIsToldWithoutIt() {
    builder.handle(
        TEXT.retry(Retry.never()),
        (payload, task) -> {
          throw new IllegalStateException("poison");
        });
    TaskId poison = store.add(TEXT, "x");
    store.refuse(ended ->
        ended.outcome() instanceof Outcome.Failed failed
            && !failed.error().startsWith("The attempt"));
    Worker worker = start();

    assertThat(outcome(poison))
        .isEqualTo(new Outcome.Failed("The attempt failed, and its error could not be recorded"));
    await().until(() -> worker.stats().inFlight() == 0);
  }

  @Test
  void anOutcomePutAsideComesWithALaterCall() {
    builder.maxConcurrentTasks(2).answer(ECHO, (payload, task) -> payload);
    TaskId locked = store.add(ECHO, "locked");
    store.lock(ended -> ended.lease().task().equals(locked));
    long began = System.nanoTime();
    Worker worker = start();
    for (int i = 0; i < 20; i++) {
      assertThat(outcome(store.add(ECHO, "free"))).isEqualTo(new Outcome.Finished("free"));
    }
    await().until(() -> worker.stats().inFlight() == 1);
    long tries =
        store.requests().stream()
            .filter(request ->
                request.ended().stream().anyMatch(ended -> ended.lease().task().equals(locked)))
            .count();
    assertThat(tries).isBetween(1L, 2 + (System.nanoTime() - began) / 100_000_000);
    assertThat(store.outcomes(locked)).isEmpty();

    store.lock(ended -> false);
    assertThat(outcome(locked)).isEqualTo(new Outcome.Finished("locked"));
    await().until(() -> worker.stats().inFlight() == 0);
    assertThat(worker.stats().staleOutcomes()).isZero();
  }

  @Test
  void anOutcomePutAsideIsHandedInBeforeTheWorkerEnds() throws InterruptedException {
    builder.answer(ECHO, (payload, task) -> payload);
    store.lock(ended -> true);
    TaskId locked = store.add(ECHO, "locked");
    Worker worker = start();
    await().until(() -> worker.stats().inFlight() == 1);
    Thread stopping = Thread.startVirtualThread(worker::stop);
    int calls = store.requests().size();
    await().until(() -> store.requests().size() > calls + 2);
    store.lock(ended -> false);
    stopping.join();

    assertThat(store.outcomes(locked)).containsExactly(new Outcome.Finished("locked"));
  }

  @Test
  void anOutcomeThatStaysAsideKeepsNoWorkerFromStopping() {
    builder.lease(Duration.ofSeconds(1)).stopTimeout(Duration.ofMillis(50));
    builder.answer(ECHO, (payload, task) -> payload);
    store.lock(ended -> true);
    store.add(ECHO, "locked");
    Worker worker = start();
    await().until(() -> worker.stats().inFlight() == 1);
    worker.stop();

    assertThat(store.left()).hasSize(1);
  }

  @Test
  void aStaleOutcomeIsCountedAndTold() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ConcurrentLinkedQueue<TaskId> stale = new ConcurrentLinkedQueue<>();
    builder.handle(
        TEXT,
        (payload, task) -> {
          running.countDown();
          arrive(go);
        });
    builder.listener(
        new WorkerListener() {
          @Override
          public void stale(Claim claim) {
            stale.add(claim.lease().task());
          }
        });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    store.takeAway(id);
    go.countDown();

    await().until(() -> stale.contains(id)); // told after it was counted
    assertThat(stale).hasSize(1);
    assertThat(worker.stats().staleOutcomes()).isEqualTo(1);
    assertThat(store.outcomes(id)).isEmpty();
    assertThat(worker.stats().finished()).isZero();
    assertThat(worker.stats().inFlight()).isZero();
  }

  @Test
  void aTaskThatNobodyAskedForFailsInsteadOfGoingRoundForEver() {
    builder.handle(TEXT, (payload, task) -> {});
    TaskId id = store.add(ECHO, "x");
    Worker worker = start();

    assertThat(outcome(id))
        .isEqualTo(
            new Outcome.Failed(
                "This worker has no handler for type \"echo\", and the store gave it the task all"
                    + " the same: is the name of the type stored as it is written?"));
    await().until(() -> worker.stats().failed() == 1 && worker.stats().inFlight() == 0);
    assertThat(store.outcomes(id)).hasSize(1);
  }

  @Test
  void aHintStartsWorkLongBeforeThePoll() {
    builder.pollInterval(Duration.ofHours(1)).handle(TEXT, (payload, task) -> ran.add(payload));
    Worker worker = start();
    await().until(() -> worker.stats().exchanges() == 1);
    TaskId id = store.add(TEXT, "x");
    store.wake(new dev.berth.store.WakeUp("elsewhere", Duration.ZERO));
    assertThat(store.requests()).hasSize(1);
    store.wake(new dev.berth.store.WakeUp("default", Duration.ZERO));

    outcome(id);
  }

  @Test
  void withoutWakeUpsItPolls() {
    builder.wakeUps(false).handle(TEXT, (payload, task) -> ran.add(payload));
    Worker worker = start();
    await().until(() -> worker.stats().exchanges() > 1);

    assertThat(store.listeners()).isZero();
    outcome(store.add(TEXT, "x"));
  }

  @Test
  void aFullBatchIsFollowedByTheNextWithoutWaiting() {
    builder
        .pollInterval(Duration.ofHours(1))
        .claimBatchSize(5)
        .handle(TEXT, (payload, task) -> ran.add(payload));
    for (int i = 0; i < 23; i++) {
      store.add(TEXT, "x");
    }
    start();

    await().until(() -> ran.size() == 23);
  }

  @Test
  void aWorkerStartsWhileTheStoreIsDownAndTakesUpWorkWhenItIsBack() {
    store.down(true);
    builder.handle(TEXT, (payload, task) -> ran.add(payload));
    Worker worker = start();
    assertThat(worker.stats().exchanges()).isZero();
    TaskId id = store.add(TEXT, "x");
    store.down(false);

    outcome(id);
    assertThat(store.opened()).hasSize(1);
  }

  @Test
  void anOutageInTheMiddleLosesNothing() {
    builder.handle(TEXT, (payload, task) -> ran.add(payload));
    Worker worker = start();
    await().until(() -> worker.stats().exchanges() > 0);
    store.down(true);
    TaskId id = store.add(TEXT, "x");
    int before = store.requests().size();
    await().until(() -> store.requests().size() > before + 1);
    store.down(false);

    outcome(id);
    assertThat(store.opened()).hasSize(1);
    assertThat(ran).containsExactly("x");
  }

  @Test
  void theHeartbeatTellsTheCapacity() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    builder.maxConcurrentTasks(5).handle(TEXT, (payload, task) -> arrive(go));
    store.add(TEXT, "x");
    start();

    await().until(() -> store.capacity() != null && store.capacity().free() == 4);
    assertThat(store.capacity().max()).isEqualTo(5);
    assertThat(store.capacity().memory()).isBetween(0.0, 1.0);
    go.countDown();
  }
}
