package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Stop: no claims, a wait, the rest given back, all handed in, the session left. */
class WorkerStopTest extends WorkerFixture {

  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  @Test
  void itWaitsForRunningHandlersAndClaimsNoMore() throws InterruptedException {
    builder.handle(
        TEXT,
        (payload, task) -> {
          running.countDown();
          arrive(go);
        });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    Thread stopper = Thread.ofVirtual().start(worker::stop);
    await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
    TaskId later = store.add(TEXT, "later");
    go.countDown();
    stopper.join();

    assertThat(store.outcomes(id)).containsExactly(new Outcome.Finished(null));
    assertThat(store.outcomes(later)).isEmpty();
    assertThat(store.pendingCount()).isEqualTo(1);
    assertThat(store.left()).hasSize(1);
    assertThat(store.listeners()).isZero();
    assertThat(worker.stats().inFlight()).isZero();
  }

  @Test
  void stoppingTwiceIsFine() {
    builder.handle(TEXT, (payload, task) -> {});
    Worker worker = start();
    worker.stop();
    worker.close();

    assertThat(store.left()).hasSize(1);
  }

  @Test
  void handlersThatTakeTooLongAreInterruptedAndGivenBackWithoutAnAttempt()
      throws InterruptedException {
    builder
        .stopTimeout(Duration.ofMillis(20))
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              block();
            });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    worker.stop();

    assertThat(store.outcomes(id)).containsExactly(new Outcome.Released());
    assertThat(worker.stats().released()).isEqualTo(1);
    assertThat(store.pendingCount()).isEqualTo(1);
    assertThat(store.left()).hasSize(1);
  }

  @Test
  void aHandlerDeafToTheInterruptDoesNotHoldItUp() throws InterruptedException {
    builder
        .stopTimeout(Duration.ofMillis(20))
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              blockDeafly(go);
            });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    worker.stop();

    assertThat(store.outcomes(id)).isEmpty();
    assertThat(store.pendingCount()).isEqualTo(1);
    assertThat(store.left()).hasSize(1);
    go.countDown();
  }

  @Test
  void aDeafHandlerThatIsPastItsTimeoutHasFailed() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    builder
        .stopTimeout(Duration.ZERO)
        .handle(
            TEXT.timeout(Duration.ofMillis(30)),
            (payload, task) -> {
              try {
                block();
              } catch (InterruptedException e) {
                interrupted.countDown();
                blockDeafly(go);
              }
            });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(interrupted);
    worker.stop();

    assertThat(store.outcomes(id))
        .singleElement()
        .isInstanceOfSatisfying(
            Outcome.Retrying.class,
            retry -> assertThat(retry.error()).endsWith("TimeoutException: timed out after 30 ms"));
    assertThat(worker.stats().retried()).isEqualTo(1);
    assertThat(worker.stats().inFlight()).isZero();
    assertThat(store.left()).hasSize(1);
    go.countDown();
  }

  @Test
  void claimsThatArriveAfterTheStopGoBack() throws InterruptedException {
    AtomicInteger ran = new AtomicInteger();
    builder.handle(TEXT, (payload, task) -> ran.incrementAndGet());
    CountDownLatch gate = new CountDownLatch(1);
    store.holdExchanges(gate);
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    await().until(() -> store.held() == 1);
    Thread stopper = Thread.ofVirtual().start(worker::stop);
    await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
    store.holdExchanges(null);
    gate.countDown();
    stopper.join();

    assertThat(store.outcomes(id)).containsExactly(new Outcome.Released());
    assertThat(ran).hasValue(0);
    assertThat(store.pendingCount()).isEqualTo(1);
  }

  @Test
  void itEndsEvenWhenTheStoreNeverAnswers() throws InterruptedException {
    builder
        .lease(Duration.ofMillis(200))
        .stopTimeout(Duration.ofMillis(20))
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              block();
            });
    store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    store.down(true);
    worker.stop();

    assertThat(store.left()).isEmpty();
  }

  @Test
  void withNothingInFlightItDoesNotWaitForAStoreThatIsDown() {
    builder.lease(Duration.ofHours(1)).stopTimeout(Duration.ofHours(1));
    builder.handle(TEXT, (payload, task) -> {});
    Worker worker = start();
    await().until(() -> worker.stats().exchanges() > 0);
    store.down(true);
    worker.stop();

    assertThat(store.left()).isEmpty();
  }

  @Test
  void aWorkerThatNeverReachedItsStoreStopsAtOnce() {
    builder.lease(Duration.ofHours(1)).stopTimeout(Duration.ofHours(1));
    builder.handle(TEXT, (payload, task) -> {});
    store.down(true);
    start().stop();

    assertThat(store.opened()).isEmpty();
  }

  @Test
  void outcomesAreHandedInWhenTheStoreComesBackDuringTheStop() throws InterruptedException {
    builder.handle(
        TEXT,
        (payload, task) -> {
          running.countDown();
          arrive(go);
        });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    store.down(true);
    go.countDown();
    Thread stopper = Thread.ofVirtual().start(worker::stop);
    await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
    store.down(false);
    stopper.join();

    assertThat(store.outcomes(id)).containsExactly(new Outcome.Finished(null));
    assertThat(store.left()).hasSize(1);
  }

  @Test
  void anInterruptOfTheCallerHurriesTheStop() throws InterruptedException {
    builder
        .stopTimeout(Duration.ofHours(1))
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              block();
            });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    Thread stopper = Thread.ofPlatform().start(worker::stop);
    stopper.interrupt();
    stopper.join();

    assertThat(store.outcomes(id)).containsExactly(new Outcome.Released());
  }
}
