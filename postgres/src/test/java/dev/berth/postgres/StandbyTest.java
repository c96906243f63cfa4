package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.task.TaskType;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import dev.berth.worker.RunningTask;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerListener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that keep slots busy with standbys: still never more at once than a limit allows. */
@Timeout(60)
class StandbyTest {

  private static final int SLOTS = 3;
  private static final int TASKS = 600;
  private static final TaskType<Integer, Void> SHORT =
      TaskType.of("short", Integer.class).limit(SLOTS);

  /** It looks every 10 ms for as long as there is something to wait for, else once. */
  private static final String LOOKED_AGAIN =
      """
      select count(*) from pg_stat_activity a join berth_private.queue q on q.paused
       where a.datname = current_database() and a.query like '%berth.stand_by(%'
         and a.query_start > q.paused_at + interval '8 milliseconds' and a.pid <> pg_backend_pid()
      """;

  private static final LimitKey KEY = LimitKey.ofType("short");

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final Berth berth = Berth.on(PostgresStore.of(database.pool()));
  private final AtomicInteger starts = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final AtomicInteger standbys = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(TASKS);
  private final CountDownLatch someStoodBy = new CountDownLatch(20);
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
    berth.close();
    database.close();
  }

  @Test
  void eachRunsOnceAndNeverMoreAtOnceThanSlots() throws Exception {
    berth.submitAll(SHORT, IntStream.range(0, TASKS).boxed());
    startWorkers();

    ended.await();
    workers.forEach(Worker::close);

    assertThat(peak).hasValueLessThanOrEqualTo(SLOTS);
    assertThat(starts).hasValue(TASKS);
    assertThat(standbys).as("tasks that went on in the slot of another").hasPositiveValue();
    assertThat(berth.reader().audit(AuditFilter.ALL)).isNotEmpty().noneMatch(LimitAudit::over);
    assertThat(berth.reader().drift()).isEmpty();
  }

  @Test
  void nothingStartsAfterALimitWasPaused() throws Exception {
    startBusyWorkers();

    berth.limits().pause(KEY);

    assertNothingStartsFromNowOn();
  }

  @Test
  void nothingStartsAfterALimitWasSetToZero() throws Exception {
    startBusyWorkers();

    berth.limits().set(KEY, 0);

    assertNothingStartsFromNowOn();
  }

  @Test
  void nothingStartsAfterItsQueueWasPaused() throws Exception {
    startBusyWorkers();

    berth.queues().pause(TaskType.DEFAULT_QUEUE);

    assertNothingStartsFromNowOn();
  }

  /** It has read that the queue is not paused, and may bring tasks to its worker yet. */
  @Test
  void aPauseWaitsForAnExchangeThatIsUnderWay() throws Exception {
    berth.submitAll(TaskType.of(RawExchange.TYPE, Integer.class), IntStream.range(0, 2).boxed());
    try (RawExchange exchange = RawExchange.open(database.url());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection other = DriverManager.getConnection(database.url())) {
      List<RawExchange.Claimed> running = exchange.plain(List.of(), null, 1).claims();
      other.setAutoCommit(false);
      try (Statement lock = other.createStatement()) {
        lock.execute("select from berth_private.session for update");
      }
      Future<?> underWay = threads.submit(() -> exchange.plain(running, null, 1));
      await("select count(*) from pg_locks where not granted");

      Future<?> pause = threads.submit(() -> berth.queues().pause(TaskType.DEFAULT_QUEUE));
      await(LOOKED_AGAIN);

      other.rollback();
      underWay.get();
      pause.get();
    }
  }

  private void await(String count) throws InterruptedException {
    while (database.count(count) == 0) {
      if (Thread.interrupted()) {
        throw new InterruptedException("in vain: " + count);
      }
    }
  }

  /** More work than they can do before the test has its say. */
  private void startBusyWorkers() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      berth.submitAll(SHORT, IntStream.range(0, 1_000).boxed());
    }
    startWorkers();
    someStoodBy.await();
  }

  private void assertNothingStartsFromNowOn() {
    int before = starts.get();
    while (berth.reader().limits().stream().anyMatch(limit -> limit.used() > 0)) {
      Thread.onSpinWait();
    }
    workers.forEach(Worker::close);
    assertThat(starts).hasValue(before);
    assertThat(before).isLessThan(10_000);
    assertThat(berth.reader().drift()).isEmpty();
  }

  private void startWorkers() {
    for (int i = 0; i < 3; i++) {
      workers.add(
          berth
              .worker()
              .listener(
                  new WorkerListener() {
                    @Override
                    public void started(Claim claim) {
                      if (claim.standby()) {
                        standbys.incrementAndGet();
                        someStoodBy.countDown();
                      }
                    }
                  })
              .handle(SHORT, this::run)
              .start());
    }
  }

  private void run(Integer number, RunningTask task) {
    starts.incrementAndGet();
    peak.accumulateAndGet(running.incrementAndGet(), Math::max);
    LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    running.decrementAndGet();
    ended.countDown();
  }
}
