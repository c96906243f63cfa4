package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import dev.berth.store.StoreException;
import dev.berth.testkit.Claimer;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
  @ParameterizedTest
  @ValueSource(strings = {"session", "task"})
  void noMoreBackendsWaitThanTwoForEachWorker(String table) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Worker> workers = new ArrayList<>();
    try (Berth berth = Berth.on(PostgresStore.of(database.pool()));
        Connection psql = DriverManager.getConnection(database.url())) {
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
                      task.progress("it runs");
                      go.await();
                    })
                .start());
      }
      berth.submitAll(Nap.TYPE, IntStream.range(0, 50).mapToObj(number -> new Nap(0)));
      await().until(() -> running() == WORKERS * 5);
      lock(psql, table);
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
