package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Exchanged;
import dev.berth.store.Held;
import dev.berth.store.StoreException;
import dev.berth.store.Swept;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody has locked a row, such as in psql, and went away. */
class LockedRowTest {

  private static final int WORKERS = 3;
  private static final Duration LEASE = Duration.ofSeconds(3);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);

  @AfterEach
  void close() {
    database.close();
  }

  /** Each try that was given up would leave a backend behind that waits for the lock. */
  @Test
  void noMoreBackendsWaitThanTwoForEachWorker() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Worker> workers = new ArrayList<>();
    try (Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Connection psql = DriverManager.getConnection(database.url())) {
      busy(berth, workers, go, 0);
      lock(psql, "session");
      go.countDown();

      await().until(() -> waiting() > 0);
      await()
          .during(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> waiting() <= WORKERS * 2);
      psql.rollback();
      await().until(() -> finished() == 50);
    } finally {
      workers.forEach(Worker::stop);
    }
  }

  /** Outcomes wait for half a second, then are put aside; and progress is passed over. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyWaitsForTasksThatAreLocked(boolean ending) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Worker> workers = new ArrayList<>();
    try (Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Connection psql = DriverManager.getConnection(database.url())) {
      busy(berth, workers, go, 50);
      lock(psql, "task");
      if (ending) {
        go.countDown();
        await().until(() -> waiting() > 0);
        await().until(() -> waiting() == 0);
      }
      await()
          .during(Duration.ofSeconds(2).plus(LEASE))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> waiting() == 0);
      assertThat(workers).allSatisfy(w -> assertThat(w.stats().sessionsLost()).isZero());
      psql.rollback();
      go.countDown();
      await().until(() -> finished() == 50);
    } finally {
      workers.forEach(Worker::stop);
    }
  }

  /** Workers that run as much as they may. */
  private void busy(Berth berth, List<Worker> workers, CountDownLatch go, int progressEveryMillis) {
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          berth
              .worker()
              .lease(LEASE)
              .heartbeatInterval(Duration.ofMillis(300))
              .maxConcurrentTasks(5)
              .handle(
                  Nap.TYPE,
                  (nap, task) -> {
                    int said = 0;
                    do {
                      task.progress("it runs " + said++);
                    } while (!go.await(progressEveryMillis, TimeUnit.MILLISECONDS)
                        && progressEveryMillis > 0);
                    go.await();
                  })
              .start());
    }
    berth.submitAll(Nap.TYPE, IntStream.range(0, 50).mapToObj(number -> new Nap(0)));
    await().until(() -> running() == WORKERS * 5);
  }

  @Test
  void aWorkerWhoseSessionIsLockedGoesOnWithAnother() throws Exception {
    try (Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Worker worker =
            berth
                .worker()
                .lease(LEASE)
                .heartbeatInterval(Duration.ofMillis(300))
                .handle(Nap.TYPE, (nap, task) -> nap.take())
                .start();
        Connection psql = DriverManager.getConnection(database.url())) {
      berth.submit(Nap.TYPE, new Nap(0));
      await().until(() -> finished() == 1);
      lock(psql, "session");
      await().until(() -> worker.stats().sessionsLost() == 1);
      berth.submit(Nap.TYPE, new Nap(0));
      await().until(() -> finished() == 2);
      psql.rollback();
      await().until(() -> database.count("select count(*) from berth_private.session") == 1);
    }
  }

  @Test
  @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a lock is deaf
  void whoLeavesGivesUpSoonAndHasLeft() throws SQLException {
    try (PostgresStore store = PostgresStore.of(database.pool());
        Connection psql = DriverManager.getConnection(database.url())) {
      var session = Claimer.open(store, "worker", "nap");
      lock(psql, "session");
      long began = System.nanoTime();
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(session::leave)
          .withMessageContaining("somebody else holds a lock that it needs");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
      assertThat(session.exchange(List.of(), 1)).isInstanceOf(Exchanged.SessionLost.class);
      psql.rollback();
    }
  }

  @Test
  void aSweepPassesByADeadSessionWhoseTaskIsLocked() throws SQLException {
    try (PostgresStore store = PostgresStore.of(database.pool());
        Connection psql = DriverManager.getConnection(database.url())) {
      store.submit(
          List.of(Draft.task().submission(), Draft.task().submission(), Draft.task().submission()));
      Claim locked = Claimer.open(store, "first", Draft.TYPE).claim(2).getFirst();
      Claimer.open(store, "second", Draft.TYPE).claimOne();
      store.submit(List.of(Draft.task().type("late").delay(Duration.ofMinutes(1)).submission()));
      new PostgresFixture(database, store).advance(Duration.ofMinutes(2));
      psql.setAutoCommit(false);
      psql.createStatement()
          .execute(
              "select from berth_private.task where id = '%s' for update"
                  .formatted(locked.lease().task()));

      long began = System.nanoTime();
      Swept swept = store.sweep();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
      assertThat(swept.sessionsExpired()).isEqualTo(1);
      assertThat(swept.promoted()).isEqualTo(1);
      assertThat(running()).isEqualTo(1);
      assertThat(database.query("select unnest(faults) from berth.sweep()"))
          .as("said once: nobody has waited for it")
          .singleElement()
          .asString()
          .endsWith("is ended later: somebody else has locked a task of it");
      psql.rollback();

      assertThat(store.sweep().sessionsExpired()).isEqualTo(1);
      assertThat(running()).isZero();
      assertThat(
              database.query("select distinct crashes from berth_private.task where type = 'mail'"))
          .containsExactly("1");
    }
  }

  /** Behind PgBouncer the wish to stop may reach nobody: the server itself must give up. */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a lock is deaf
  void aCommandSaysThatSomebodyElseHoldsALock() throws SQLException {
    LimitKey gpu = Limit.of("gpu", 1).key();
    try (PostgresStore store = PostgresStore.of(database.pool());
        Connection psql = DriverManager.getConnection(database.url())) {
      Topics topics = SqlTasks.on(store).topics();
      Draft limited = Draft.task().under(Limit.of("gpu", 1));
      store.submit(List.of(limited.submission()));
      Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
      Claim held = claimer.claimOne();
      Draft failed = Draft.task();
      store.submit(
          List.of(
              failed.submission(),
              Draft.task().step("halted", "pay").submission(),
              Draft.task().step("halted", "ship").submission()));
      claimer.endAll(claimer.claim(2), new Outcome.Failed("on purpose"));
      assertThat(store.hold(claimer.id(), 1, Need.of(Limit.of("held", 1), 1)))
          .isInstanceOf(Held.Done.class);
      store.submit(
          List.of(
              Draft.task().step("order", "pay").submission(),
              Draft.task().step("order", "ship").submission()));
      store.apply(new Command.SetLimit(gpu, 2, null));
      store.apply(new Command.PauseLimit(gpu));
      store.apply(new Command.PauseQueue("paused"));
      topics.set("known", 1, null, null);
      database.run(
          "select berth.set_schedule('nightly', 'pack', every => '1 day')",
          "select berth.set_schedule('stopped', 'pack', every => '1 day')");
      store.apply(new Command.PauseSchedule("stopped"));

      Map<String, Runnable> waiting = new LinkedHashMap<>();
      for (Command command :
          List.of(
              new Command.Cancel(held.lease().task(), "not wanted"),
              new Command.RetryTask(failed.id()),
              new Command.PauseQueue("default"),
              new Command.ResumeQueue("paused"),
              new Command.SetLimit(gpu, 3, null),
              new Command.SetLimit(LimitKey.ofType(Draft.TYPE), 3, null),
              new Command.ResetLimit(gpu),
              new Command.PauseLimit(LimitKey.ofType("other")),
              new Command.ResumeLimit(gpu),
              new Command.RecountLimit(gpu),
              new Command.ReleaseSlot(gpu, held.lease().token()),
              new Command.PauseSchedule("nightly"),
              new Command.ResumeSchedule("stopped"),
              new Command.RunSchedule("nightly", TaskId.next()),
              new Command.RemoveSchedule("nightly"),
              new Command.SkipStep("order", "ship"),
              new Command.CancelWorkflow("order", "not wanted"),
              new Command.RetryWorkflow("halted"))) {
        waiting.put(command.toString(), () -> store.apply(command));
      }
      waiting.put("open", () -> Claimer.open(store, "another", "new"));
      waiting.put("hold", () -> store.hold(claimer.id(), 2, Need.of(Limit.of("held", 1), 1)));
      waiting.put("release", () -> store.release(claimer.id(), 1));
      waiting.put("topic", () -> topics.set("new", 1, null, null));
      waiting.put("known topic", () -> topics.reset("known"));
      waiting.put(
          "pace",
          () ->
              store.submit(
                  List.of(
                      Draft.task()
                          .under(Limit.of("paced", 1).pace(Duration.ofSeconds(1)))
                          .submission())));

      psql.setAutoCommit(false);
      for (String table :
          database.query(
              "select c.oid::regclass from pg_class c where c.relnamespace ="
                  + " 'berth_private'::regnamespace and c.relkind = 'r' and not"
                  + " c.relispartition")) {
        psql.createStatement().execute("lock table " + table + " in exclusive mode");
      }
      psql.createStatement().execute("lock table berth_private.task_history in exclusive mode");
      Map<String, CompletableFuture<Void>> ends = new LinkedHashMap<>();
      waiting.forEach((name, call) ->
          ends.put(name, CompletableFuture.runAsync(call, Thread::startVirtualThread)));
      ends.forEach((name, end) ->
          assertThat(end)
              .as(name)
              .failsWithin(Duration.ofSeconds(40))
              .withThrowableThat()
              .havingCause()
              .isInstanceOf(StoreException.class)
              .withMessageContaining("somebody else holds a lock that it needs"));
      psql.rollback();
    }
  }

  @Test
  void progressThatCouldNotBeWrittenIsToldAgain() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch said = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Worker worker =
            berth
                .worker()
                .heartbeatInterval(Duration.ofMillis(100))
                .handle(
                    Nap.TYPE,
                    (nap, task) -> {
                      locked.await();
                      task.progress("half");
                      said.countDown();
                      go.await();
                    })
                .start();
        Connection psql = DriverManager.getConnection(database.url())) {
      berth.submit(Nap.TYPE, new Nap(0));
      await().until(() -> running() == 1);
      lock(psql, "task");
      locked.countDown();
      said.await();
      String seen = "select expires_at from berth_private.session";
      for (int i = 0; i < 3; i++) { // one more than a beat that may be under way
        String before = database.one(seen);
        await().until(() -> !database.one(seen).equals(before));
      }
      psql.rollback();
      await().until(() -> "half".equals(database.one("select progress from berth_private.task")));
      go.countDown();
      await().until(() -> worker.stats().finished() == 1);
    }
  }

  @Test
  void makingPartitionsWaitsForNobody() throws SQLException {
    try (Connection psql = DriverManager.getConnection(database.url())) {
      lock(psql, "schema_version");
      long began = System.nanoTime();
      assertThat(database.query("select berth.make_partitions() is null")).containsExactly("t");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
      psql.rollback();
    }
  }

  /** Nor does one whose network time-out is shorter than its lock would be waited for. */
  @Test
  void aStatementWithoutAnAnswerIsCancelled() {
    Database pool = new Database(database.pool());
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() ->
            pool.connected(
                "sleep",
                Duration.ofMillis(200),
                connection -> connection.createStatement().execute("select pg_sleep(600)")));

    await().until(() -> count("state = 'active' and query = 'select pg_sleep(600)'") == 0);
  }

  @Test
  void theErrorSaysThatSomebodyElseHoldsALock() throws SQLException {
    try (PostgresStore store = PostgresStore.of(database.pool());
        Connection psql = DriverManager.getConnection(database.url())) {
      var session = Claimer.open(store, "worker", "nap");
      lock(psql, "session");

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(session::heartbeat)
          .withMessage(
              "Could not renew the session: somebody else holds a lock that it needs"
                  + " (ERROR: canceling statement due to lock timeout)");
    }
  }

  private static void lock(Connection psql, String table) throws SQLException {
    psql.setAutoCommit(false);
    psql.createStatement().execute("select from berth_private." + table + " for update");
  }

  private long waiting() {
    return count("wait_event_type = 'Lock'");
  }

  private long count(String condition) {
    return database.count(
        "select count(*) from pg_stat_activity where datname = current_database() and pid <>"
            + " pg_backend_pid() and "
            + condition);
  }

  private long running() {
    return database.count("select count(*) from berth.tasks where state = 'RUNNING'");
  }

  private long finished() {
    return database.count("select count(*) from berth.tasks where state = 'FINISHED'");
  }
}
