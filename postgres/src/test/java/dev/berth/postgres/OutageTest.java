package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.store.StoreException;
import dev.berth.task.TaskId;
import dev.berth.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database goes away and comes back. */
@Execution(ExecutionMode.SAME_THREAD) // the tests share a server that they stop
class OutageTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static LocalPostgres server;

  @BeforeAll
  static void start() {
    server = LocalPostgres.start();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @BeforeEach
  void beUp() {
    if (!server.running()) {
      server.restart();
    }
  }

  @Test
  void aDatabaseThatIsDownAtStartIsNamedInTheError() {
    server.stop();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Berth.open(server.jdbcUrl()))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
        .withMessageMatching(
            "Could not connect to jdbc:postgresql://127\\.0\\.0\\.1:\\d+/postgres:"
                + " Connection to 127\\.0\\.0\\.1:\\d+ refused.*");
  }

  @Test
  void aWorkerStartedWhileTheDatabaseIsDownWorksOnceItIsUp() {
    try (HikariDataSource pool = Servers.pool(server.createDatabase("down_at_start"));
        Berth berth = Berth.on(PostgresStore.of(pool))) {
      server.stop();
      try (Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start()) {
        server.restart();
        await().atMost(PATIENCE).until(() -> worker.stats().exchanges() > 0);
        berth.submit(Nap.TYPE, new Nap(0));
        await().atMost(PATIENCE).until(() -> worker.stats().finished() == 1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stop", "crash"})
  void aWorkerOutlivesTheDatabase(String how) {
    String url = server.createDatabase("in_the_middle_" + how);
    Map<TaskId, Integer> runs = new ConcurrentHashMap<>();
    try (HikariDataSource pool = Servers.pool(url);
        Berth berth = Berth.on(PostgresStore.of(pool));
        Worker worker =
            berth
                .worker()
                .maxConcurrentTasks(20)
                .handle(
                    Nap.TYPE,
                    (nap, task) -> {
                      runs.merge(task.id(), 1, Integer::sum);
                      nap.take();
                    })
                .start()) {
      berth.submitAll(Nap.TYPE, IntStream.range(0, 1_000).mapToObj(number -> new Nap(10)));
      await().until(() -> worker.stats().finished() > 100);
      if (how.equals("stop")) {
        server.stop();
      } else {
        server.crash();
      }
      assertThat(worker.stats().finished()).isLessThan(1_000);
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> berth.reader().queues())
          .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
          .withMessageStartingWith("Could not count the queues: the database does not answer (");
      server.restart();

      await().atMost(PATIENCE).until(() -> worker.stats().finished() == 1_000);
      assertThat(worker.stats().sessionsLost()).isZero();
      assertThat(worker.stats().staleOutcomes()).isZero();
    }
    assertThat(runs).hasSize(1_000).allSatisfy((task, times) -> assertThat(times).isEqualTo(1));
    assertThat(
            Sql.query(
                url,
                "select count(*) || ' ' || count(distinct task_id) from berth.attempts"
                    + " where final and outcome = 'finished'"))
        .containsExactly("1000 1000");
    assertThat(Sql.query(url, "select id from berth.tasks where state <> 'FINISHED'")).isEmpty();
  }

  @Test
  void aWorkerThatCannotRenewStopsItsHandlersBeforeItsLeaseIsOver() throws InterruptedException {
    String url = server.createDatabase("black_hole");
    AtomicReference<Instant> interrupted = new AtomicReference<>();
    AtomicInteger starts = new AtomicInteger();
    try (Proxy proxy = Proxy.to(url);
        Berth berth = Berth.open(proxy.url());
        Worker worker =
            berth
                .worker()
                .lease(Duration.ofSeconds(2))
                .heartbeatInterval(Duration.ofMillis(300))
                .handle(
                    Nap.TYPE,
                    (nap, task) -> {
                      if (starts.incrementAndGet() > 1) {
                        return;
                      }
                      try {
                        nap.take();
                      } catch (InterruptedException e) {
                        interrupted.set(Instant.now());
                        throw e;
                      }
                    })
                .start()) {
      berth.submit(Nap.TYPE, new Nap(3_600_000));
      await().until(() -> worker.stats().inFlight() == 1);
      proxy.swallowAll();

      await().atMost(PATIENCE).until(() -> interrupted.get() != null);
      assertThat(interrupted.get()).isBefore(expiry(url));
      assertThat(worker.stats().sessionsLost()).isEqualTo(1);

      proxy.restore();
      await().atMost(PATIENCE).until(() -> worker.stats().finished() == 1);
      assertThat(starts).hasValue(2);
    }
  }

  @Test
  void deadConnectionsAreReplacedWithinTheLease() {
    String url = server.createDatabase("dead_connections");
    try (Proxy proxy = Proxy.to(url);
        HikariDataSource pool = Servers.pool(proxy.url());
        Berth berth = Berth.on(PostgresStore.of(pool));
        Worker worker =
            berth
                .worker()
                .lease(Duration.ofSeconds(10))
                .heartbeatInterval(Duration.ofMillis(500))
                .handle(Nap.TYPE, (nap, task) -> nap.take())
                .start()) {
      await().until(() -> worker.stats().exchanges() > 0);
      proxy.swallow(); // nobody says that they are dead: the worker must find out
      Sql.run(url, "select berth.submit('nap', '{\"millis\": 0}')");

      await().atMost(PATIENCE).until(() -> worker.stats().finished() == 1);
      assertThat(worker.stats().sessionsLost()).isZero();
    }
  }

  private static Instant expiry(String url) {
    String micros =
        Sql.query(url, "select berth_private.microseconds(expires_at) from berth_private.session")
            .getFirst();
    return Instant.EPOCH.plusNanos(Long.parseLong(micros) * 1_000);
  }
}
