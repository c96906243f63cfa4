package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.worker.ScriptedStore.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker that cannot renew stops its own tasks before anyone else may start them. */
class SessionLossTest extends WorkerFixture {

  private static final Duration LEASE = Duration.ofSeconds(1);

  private final CountDownLatch running = new CountDownLatch(1);
  private final ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
  private final AtomicLong interruptedAt = new AtomicLong();
  private final AtomicInteger lost = new AtomicInteger();

  /** The first attempt blocks until interrupted, the next one returns. */
  @BeforeEach
  void handler() {
    builder
        .lease(LEASE)
        .handle(
            TEXT,
            (payload, task) -> {
              tokens.add(task.token());
              if (tokens.size() == 1) {
                running.countDown();
                try {
                  block();
                } finally {
                  interruptedAt.set(Ticks.now());
                }
              }
            });
    builder.listener(
        new WorkerListener() {
          @Override
          public void sessionLost() {
            lost.incrementAndGet();
          }
        });
  }

  @Test
  void whenTheStoreSaysSoHandlersAreStoppedAndANewSessionRunsTheTask() throws InterruptedException {
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    store.expireSessions();

    assertThat(outcome(id)).isInstanceOf(Outcome.Finished.class);
    assertThat(store.outcomes(id)).hasSize(1);
    assertThat(List.copyOf(tokens)).hasSize(2).isSorted();
    await().until(() -> lost.get() == 1);
    assertThat(worker.stats().sessionsLost()).isEqualTo(1);
    await().until(() -> worker.stats().inFlight() == 0);
  }

  @Test
  void whenHeartbeatsFailHandlersAreStoppedBeforeTheLeaseRunsOut() throws InterruptedException {
    TaskId id = store.add(TEXT, "x");
    start();
    arrive(running);
    store.heartbeatsDown(true);
    await().until(() -> interruptedAt.get() != 0);

    assertThat(interruptedAt.get() - store.firstSessionHeardAt())
        .isLessThan(LEASE.toNanos())
        .isGreaterThan(LEASE.toNanos() / 2);
    store.heartbeatsDown(false);
    assertThat(outcome(id)).isInstanceOf(Outcome.Finished.class);
    assertThat(store.left()).hasSize(1);
    assertThat(store.opened()).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void aLostSessionThatCannotBeEndedIsLeftToExpire() throws InterruptedException {
    store.add(TEXT, "x");
    start();
    arrive(running);
    store.leavesDown(true);
    store.heartbeatsDown(true);
    await().until(() -> lost.get() == 1);
    store.heartbeatsDown(false);

    assertThat(outcome(store.add(TEXT, "y"))).isInstanceOf(Outcome.Finished.class);
    assertThat(store.left()).isEmpty();
    assertThat(store.opened()).hasSizeGreaterThanOrEqualTo(2);
    store.leavesDown(false);
  }

  @Test
  void aHeartbeatThatHangsIsNoExcuse() throws InterruptedException {
    store.add(TEXT, "x");
    start();
    arrive(running);
    CountDownLatch gate = new CountDownLatch(1);
    store.holdHeartbeats(gate);
    await().until(() -> interruptedAt.get() != 0);

    await().until(() -> lost.get() == 1);
    store.holdHeartbeats(null);
    gate.countDown();
  }

  @Test
  void whenTheStoreIsAwayLongerThanTheLeaseTheTaskRunsAgainAfterwards()
      throws InterruptedException {
    TaskId id = store.add(TEXT, "x");
    start();
    arrive(running);
    store.down(true);
    await().until(() -> interruptedAt.get() != 0);
    store.down(false);

    assertThat(outcome(id)).isInstanceOf(Outcome.Finished.class);
    assertThat(tokens).hasSize(2);
  }

  @Test
  void whatEndedBeforeTheLossIsStillHandedIn() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch echoing = new CountDownLatch(1);
    builder.answer(
        ECHO,
        (payload, task) -> {
          echoing.countDown();
          arrive(go);
          return payload;
        });
    TaskId blocked = store.add(TEXT, "x");
    TaskId ended = store.add(ECHO, "done");
    start();
    arrive(running);
    arrive(echoing);
    store.down(true);
    go.countDown();
    await().until(() -> interruptedAt.get() != 0);
    store.down(false);

    assertThat(outcome(ended)).isEqualTo(new Outcome.Finished("done"));
    assertThat(store.outcomes(ended)).hasSize(1);
    assertThat(outcome(blocked)).isInstanceOf(Outcome.Finished.class);
  }

  @Test
  void aHandlerThatOutlivesItsLeaseHasNoOutcomeAndKeepsItsPermit() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch echoing = new CountDownLatch(1);
    AtomicInteger echoes = new AtomicInteger();
    builder.answer(
        ECHO,
        (payload, task) -> {
          if (echoes.incrementAndGet() == 1) {
            echoing.countDown();
            blockDeafly(go);
            return "too late";
          }
          return payload;
        });
    TaskId id = store.add(ECHO, "again");
    Worker worker = start();
    arrive(echoing);
    store.expireSessions();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished("again"));
    await().until(() -> worker.stats().inFlight() == 1);
    go.countDown();
    await().until(() -> worker.stats().inFlight() == 0);
    assertThat(store.outcomes(id)).hasSize(1);
  }

  @Test
  void claimsOfALostReplyAreNotStartedAfterTheLeaseRanOut() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    TaskId blocked = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    Fault again = Fault.REPLY_LOST;
    store.next(again, again, again, again); // so that the test is in time to hold the repeat
    TaskId claimed = store.add(TEXT, "y");
    await().until(() -> store.runningCount() == 2);
    store.holdExchanges(gate);
    store.heartbeatsDown(true);
    await().until(() -> lost.get() == 1);

    assertThat(tokens).hasSize(1);
    store.heartbeatsDown(false);
    store.holdExchanges(null);
    gate.countDown();
    assertThat(outcome(claimed)).isInstanceOf(Outcome.Finished.class);
    assertThat(outcome(blocked)).isInstanceOf(Outcome.Finished.class);
    assertThat(store.left()).hasSize(1);
    await().until(() -> worker.stats().inFlight() == 0);
  }
}
