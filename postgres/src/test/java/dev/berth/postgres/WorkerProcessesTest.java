package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.Berth;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Several worker processes on one database, and what becomes of their tasks when one dies. */
@Isolated("it counts who gets how much of the machine")
class WorkerProcessesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabase.on(Servers.NEWEST);
  private final PostgresStore store = PostgresStore.of(database.pool());
  private final Berth berth = Berth.on(store);

  @AfterEach
  void close() {
    berth.close();
    database.close();
  }

  @Test
  void threeProcessesShareTheWork() {
    List<WorkerProcess> workers =
        Stream.of("a", "b", "c")
            .map(name -> worker(name, Map.of("BERTH_MAX_CONCURRENT_TASKS", "50")))
            .toList();
    try {
      workers.forEach(WorkerProcess::awaitUp);
      submitNaps(9_000, 20);
      awaitFinished(9_000);

      assertThat(finishedBy("a") + finishedBy("b") + finishedBy("c")).isEqualTo(9_000);
      assertThat(List.of(finishedBy("a"), finishedBy("b"), finishedBy("c")))
          .allMatch(share -> share >= 9_000 / 4, "is at least a quarter");
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  @Test
  void theTasksOfAKilledProcessRunAgainElsewhere() {
    Map<String, String> settings = shortLease(20);
    try (WorkerProcess killed = worker("killed", settings);
        WorkerProcess other = worker("other", settings)) {
      killed.awaitUp();
      other.awaitUp();
      submitNaps(300, 200);
      await().until(() -> runningOn("killed") == 20);

      killed.kill();
      awaitFinished(300);

      long crashed = database.count("select count(*) from berth.attempts where not final");
      assertThat(crashed).isPositive();
      assertThat(
              database.query(
                  "select distinct concat_ws(' ', outcome, worker, final, attempt, crashes)"
                      + " from berth.attempts where crashes > 0 order by 1"))
          .containsExactly("crashed killed f 1 1", "finished other t 2 1");
      assertEachEndedOnce(300);
    }
  }

  @Test
  void aFrozenProcessChangesNothingAfterItsLeaseAndGoesOnInANewSession() {
    try (WorkerProcess frozen = worker("frozen", shortLease(200)).awaitUp()) {
      submitNaps(2_000, 30);
      await().until(() -> finishedBy("frozen") > 200);

      frozen.freeze();
      String session = database.one("select id from berth.sessions");
      await().atMost(PATIENCE).until(() -> store.sweep().sessionsExpired() == 1);
      long recorded = attemptsOf(session);
      frozen.thaw();
      awaitFinished(2_000);

      assertThat(attemptsOf(session)).isEqualTo(recorded);
      assertThat(frozen.stats()).containsEntry("sessionsLost", 1L);
      assertThat(database.query("select id from berth.sessions"))
          .hasSize(1)
          .doesNotContain(session);
      assertEachEndedOnce(2_000);
      frozen.stop();
      assertThat(database.query("select id from berth.sessions")).isEmpty();
    }
  }

  @Test
  void anOutcomeThatComesTooLateIsRefusedAndCounted() {
    Map<String, String> oneAtATime =
        Map.of(
            "BERTH_LEASE_MS", "120000",
            "BERTH_HEARTBEAT_INTERVAL_MS", "60000",
            "BERTH_MAX_CONCURRENT_TASKS", "1");
    try (WorkerProcess frozen = worker("frozen", oneAtATime).awaitUp()) {
      submitNaps(1, 500);
      await().until(() -> runningOn("frozen") == 1);

      frozen.freeze();
      database.run("update berth_private.session set expires_at = berth_private.now()");
      assertThat(store.sweep().tasksReturned()).isEqualTo(1);
      // the handler's time passes while it is frozen: all that is left for it to do is to end
      database.run("select pg_sleep(1)");
      frozen.thaw();
      awaitFinished(1);

      assertThat(frozen.stats())
          .containsEntry("staleOutcomes", 1L)
          .containsEntry("sessionsLost", 1L)
          .containsEntry("finished", 1L);
      assertThat(database.query("select outcome from berth.attempts order by token"))
          .containsExactly("crashed", "finished");
    }
  }

  private WorkerProcess worker(String name, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("BERTH_WORKER_NAME", name);
    return WorkerProcess.start(database.url(), all);
  }

  private static Map<String, String> shortLease(int inFlight) {
    return Map.of(
        "BERTH_LEASE_MS", "2000",
        "BERTH_HEARTBEAT_INTERVAL_MS", "400",
        "BERTH_MAX_CONCURRENT_TASKS", Integer.toString(inFlight));
  }

  private void submitNaps(int count, int millis) {
    berth.submitAll(Nap.TYPE, IntStream.range(0, count).mapToObj(number -> new Nap(millis)));
  }

  private void awaitFinished(int count) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(() ->
            database.count("select count(*) from berth.tasks where state = 'FINISHED'") == count);
  }

  private long finishedBy(String worker) {
    return database.count(
        "select count(*) from berth.tasks where state = 'FINISHED' and worker = '" + worker + "'");
  }

  private long runningOn(String worker) {
    return database.count(
        "select count(*) from berth.tasks where state = 'RUNNING' and worker = '" + worker + "'");
  }

  private long attemptsOf(String session) {
    return database.count("select count(*) from berth.attempts where session_id = " + session);
  }

  /**
   * No task is lost, none has two final outcomes, and every attempt that ended had its own token.
   */
  private void assertEachEndedOnce(int count) {
    assertThat(
            database.query(
                "select count(*) || ' ends of ' || count(distinct task_id) || ' tasks'"
                    + " from berth.attempts where final"))
        .containsExactly("%1$d ends of %1$d tasks".formatted(count));
    assertThat(database.count("select count(*) - count(distinct token) from berth.attempts"))
        .isZero();
    assertThat(database.query("select id from berth.tasks where state <> 'FINISHED'")).isEmpty();
  }
}
