package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.testkit.Claimer;
import dev.berth.worker.Worker;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * A copy of the database from before is put back under a live worker. Its sequences begin where
 * they did then: the next worker gets the same session id, and the same tasks the same tokens.
 */
class RestoreTest {

  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final TaskType<Nap, String> SLOW =
      TaskType.of("slow", Nap.class).returning(String.class);
  private static final TaskType<Nap, Void> ALONE = Nap.TYPE.limit(1);

  private final Map<String, CountDownLatch> ends =
      Map.of(
          "past 0",
          new CountDownLatch(1),
          "past 1",
          new CountDownLatch(1),
          "present 0",
          new CountDownLatch(1),
          "present 1",
          new CountDownLatch(1));
  private final Set<String> begun = ConcurrentHashMap.newKeySet();
  private final AtomicInteger alone = new AtomicInteger();
  private final AtomicInteger mostAlone = new AtomicInteger();
  private final Map<TaskId, Integer> runs = new ConcurrentHashMap<>();

  @Test
  void bothWorkersGoOnAndThePastIsRefused() throws Exception {
    String lost = Servers.NEWEST.database();
    List<TaskId> slow;
    try (HikariDataSource pool = Servers.pool(lost);
        Berth berth = Berth.on(PostgresStore.of(pool))) {
      slow = List.of(berth.submit(SLOW, new Nap(0)), berth.submit(SLOW, new Nap(1)));
    }
    String copy = Servers.NEWEST.copy(lost);
    try (HikariDataSource before = Servers.patientPool(lost);
        HikariDataSource after = Servers.patientPool(copy)) {
      Switch through = new Switch(before);
      try (Berth past = Berth.on(PostgresStore.of(through.dataSource()));
          Berth present = Berth.on(PostgresStore.of(after));
          Worker first = worker(past, "past")) {
        await().until(() -> begun.containsAll(Set.of("past 0", "past 1")));
        List<String> leases = running(lost);

        CountDownLatch back = new CountDownLatch(1);
        through.to(after, back);
        Sql.run(
            copy,
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = '%s'"
                .formatted(lost.replaceAll(".*/([^?]*).*", "$1")));
        ends.get("past 0").countDown(); // its outcome waits for the database
        try (Worker second = worker(present, "present")) {
          await().until(() -> begun.containsAll(Set.of("present 0", "present 1")));
          assertThat(running(copy)).isEqualTo(leases); // else this proves nothing

          long restored = System.nanoTime();
          back.countDown();
          await()
              .atMost(LEASE)
              .until(() ->
                  Sql.query(copy, "select id from berth_private.session").size() == 2
                      && first.stats().sessionsLost() == 1);
          assertThat(Duration.ofNanos(System.nanoTime() - restored)).isLessThan(LEASE);
          ends.values().forEach(CountDownLatch::countDown);
          await().until(() -> second.stats().finished() == 2);

          past.submitAll(ALONE, IntStream.range(0, 40).mapToObj(number -> new Nap(2)));
          await().until(() -> first.stats().finished() + second.stats().finished() == 42);
          assertThat(first.stats().staleOutcomes()).isPositive();
          assertThat(second.stats().sessionsLost()).isZero();
          assertThat(second.stats().staleOutcomes()).isZero();
        }
        assertThat(slow)
            .allSatisfy(id -> assertThat(present.await(SLOW, id, LEASE)).startsWith("present"));
        assertThat(runs).hasSize(40).allSatisfy((id, times) -> assertThat(times).isEqualTo(1));
        assertThat(mostAlone).hasValue(1);
      }
    }
  }

  private Worker worker(Berth berth, String when) {
    return berth
        .worker()
        .name(when)
        .lease(LEASE)
        .heartbeatInterval(Duration.ofMillis(500))
        .maxConcurrentTasks(10)
        .answer(
            SLOW,
            (nap, task) -> {
              String name = when + " " + nap.millis();
              begun.add(name);
              ends.get(name).await();
              return name;
            })
        .handle(
            ALONE,
            (nap, task) -> {
              mostAlone.accumulateAndGet(alone.incrementAndGet(), Math::max);
              nap.take();
              runs.merge(task.id(), 1, Integer::sum);
              alone.decrementAndGet();
            })
        .start();
  }

  private static List<String> running(String url) {
    return Sql.query(
        url,
        "select session_id || ' ' || token || ' ' || id from berth_private.task"
            + " where session_id is not null order by token");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select kind from berth.exchange(%s, 2, array['%s']::uuid[], array[%s], '{finished}',"
            + " '{null}', '{0}', '{}', '{}', '{}', '{}', '{}', '{slow}', 0)",
        "select kind from berth.exchange(%s, 2, '{}', '{}', '{}', '{}', '{}', '{default}',"
            + " '{null}', '{null}', '{scan}', '{null}', '{slow}', 1)",
        "select case when not alive then 'lost' end from berth.heartbeat(%s, 1, 1, null, null)"
      })
  void anotherProofIsRefused(String call) {
    String url = Servers.NEWEST.database();
    Sql.run(url, "select berth.submit('slow')");
    Sql.run(
        url,
        "select berth.open_session(%d, 'worker', null, '1 minute', 10, '{slow}', '{default}')"
            .formatted(Migration.NEWEST),
        "select berth.exchange(%s, 1, '{}', '{}', '{}', '{}', '{}', '{default}', '{null}',"
                .formatted(Sql.caller(1))
            + " '{null}', '{scan}', '{null}', '{slow}', 1)");
    List<String> before = state(url);
    String task = Sql.query(url, "select id from berth_private.task").getFirst();
    String token = Sql.query(url, "select token from berth_private.task").getFirst();
    String other = Migration.NEWEST + ", 1, gen_random_uuid()";

    assertThat(Sql.query(url, call.formatted(other, task, token))).containsExactly("lost");
    assertThat(state(url)).isEqualTo(before);
  }

  /** Tasks and tokens come again after a restore: a worker of the past has none of these. */
  @Test
  void anotherProofNeitherStartsNorRetriesASqlTask() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Connection runner = DriverManager.getConnection(fixture.url("berth_runner"))) {
      String id = fixture.launch("alice", "select 1");
      var lease =
          Claimer.open(fixture.store, "worker", "berth.sql").claim(1, "sql").getFirst().lease();
      String task = "'" + id + "', " + lease.token();
      int backend = runner.unwrap(PGConnection.class).getBackendPID();
      String proof = fixture.database.one("select array[proof] from berth_private.session");
      String other = "{" + UUID.randomUUID() + "}";
      String prepare = "select refused from berth.prepare_sql(%s, '%s')";
      String admit = "select berth.admit_sql(%s, %d, '%s')";
      String retry = "select berth.retry_sql(%s, true, '%s')";

      assertThatThrownBy(() -> Sql.query(fixture.database.url(), prepare.formatted(task, other)))
          .hasMessageContaining("does not run in a session of this store");
      assertThat(fixture.database.one(prepare.formatted(task, proof))).isNull();
      assertThatThrownBy(
              () -> Sql.query(fixture.database.url(), admit.formatted(task, backend, other)))
          .hasMessageContaining("does not run in a session of this store");
      fixture.database.run(admit.formatted(task, backend, proof));
      assertThat(fixture.database.one(retry.formatted(task, other))).isNull();
      assertThat(fixture.database.query("select pid from berth_private.sql_ticket")).hasSize(1);
      assertThat(fixture.database.one(retry.formatted(task, proof))).isNotNull();
    }
  }

  @Test
  void anotherProofNeitherLeavesNorHoldsNorReleases() {
    String url = Servers.NEWEST.database();
    Sql.run(
        url,
        "select berth.open_session(%d, 'worker', null, '1 minute', 10, '{slow}', '{default}')"
            .formatted(Migration.NEWEST),
        "select berth.hold_slots(%s, 1, 'limit/gpu', 1, 2)".formatted(Sql.proven(1)));
    List<String> before = state(url);

    assertThat(
            Sql.query(
                url,
                "select verdict from berth.hold_slots(1, gen_random_uuid(), 2, 'limit/gpu', 1, 2)"))
        .containsExactly("lost");
    assertThat(Sql.query(url, "select released from berth.release_hold(1, gen_random_uuid(), 1)"))
        .containsExactly("f");
    assertThat(Sql.query(url, "select berth.leave(1, gen_random_uuid())")).containsExactly("0");
    assertThat(state(url)).isEqualTo(before);
  }

  private static List<String> state(String url) {
    return Sql.query(
        url,
        "select s::text from berth_private.session s union all select t::text from"
            + " berth_private.task t union all select h::text from berth_private.hold h order by"
            + " 1");
  }

  /** Connections come from another pool from a moment on, and until then not at all. */
  private static final class Switch {

    private volatile DataSource target;
    private volatile CountDownLatch open = new CountDownLatch(0);

    Switch(DataSource target) {
      this.target = target;
    }

    void to(DataSource next, CountDownLatch when) {
      open = when;
      target = next;
    }

    DataSource dataSource() {
      return (DataSource)
          java.lang.reflect.Proxy.newProxyInstance(
              DataSource.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (proxy, method, arguments) -> {
                open.await();
                try {
                  return method.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }
}
