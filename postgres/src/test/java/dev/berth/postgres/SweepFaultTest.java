package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.limit.LimitKey;
import dev.berth.store.Command;
import dev.berth.store.Swept;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** One item that a sweep cannot do keeps none of the others from being done, and is said. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a lock is deaf
class SweepFaultTest {

  private static final String SWEEP = "select array_to_string(faults, '; ') from berth.sweep()";

  private static final List<String> NONE = List.of("0");

  private final String url = Servers.NEWEST.database();
  private HikariDataSource pool;
  private PostgresStore store;

  @BeforeEach
  void open() {
    pool = Servers.pool(url, 20);
    store = PostgresStore.of(pool);
  }

  @AfterEach
  void close() {
    store.close();
    pool.close();
  }

  @Test
  void anOverrideThatCannotBeTakenBack() {
    for (String key : List.of("limit/a", "limit/bad", "limit/c")) {
      store.apply(new Command.SetLimit(new LimitKey(key), 1, Duration.ofMinutes(1)));
    }
    poison("task_limit", "update", "old.key = 'limit/bad'");
    later();
    assertThat(Sql.query(url, SWEEP))
        .containsExactly(
            "what was set by hand for the limit limit/bad could not be taken back: poison");
    assertThat(
            Sql.query(
                url, "select key from berth_private.task_limit where override_slots is not null"))
        .containsExactly("limit/bad");
  }

  @Test
  void aQuotaThatCannotBeSettled() {
    Sql.run(
        url,
        "insert into berth_private.quota_count values ('type/a', 2), ('type/bad', 2), ('type/c',"
            + " 2)",
        "insert into berth_private.quota_return values ('type/a', 1), ('type/bad', 1), ('type/c',"
            + " 1)");
    poison("quota_count", "update", "old.key = 'type/bad'");
    assertThat(Sql.query(url, SWEEP))
        .containsExactly("the quota type/bad could not be settled: poison");
    assertThat(Sql.query(url, "select key from berth_private.quota_return"))
        .containsExactly("type/bad");
  }

  @Test
  void aWorkflowThatCannotGoOn() {
    for (String workflow : List.of("a", "bad", "c")) {
      store.submit(List.of(Draft.task().step(workflow, "first").submission()));
    }
    Sql.run(
        url,
        "update berth_private.task set state = 'held'",
        "insert into berth_private.workflow_notice select now(), workflow from berth_private.task");
    poison("task", "update", "old.workflow = 'bad'");
    assertThat(Sql.query(url, SWEEP)).containsExactly("workflow bad could not go on: poison");
    assertThat(Sql.query(url, "select workflow from berth_private.task where state = 'held'"))
        .containsExactly("bad");
    assertThat(Sql.query(url, "select workflow from berth_private.workflow_notice"))
        .containsExactly("bad");
  }

  @Test
  void aWorkflowThatSomebodyHasLocked() throws SQLException {
    for (String workflow : List.of("a", "bad", "c")) {
      store.submit(List.of(Draft.task().step(workflow, "first").submission()));
    }
    Sql.run(
        url,
        "update berth_private.task set state = 'held'",
        "insert into berth_private.workflow_notice select now(), workflow from berth_private.task");
    try (Connection psql = DriverManager.getConnection(url)) {
      psql.setAutoCommit(false);
      psql.createStatement()
          .execute("select from berth_private.workflow where name = 'bad' for update");
      Swept swept = store.sweep();
      assertThat(swept.promoted()).isEqualTo(2);
    }
    assertThat(store.sweep().promoted()).as("without another hint").isEqualTo(1);
  }

  /** Their waits would add up to longer than a sweep may take. */
  @Test
  void manyWorkflowsThatSomebodyHasLocked() throws SQLException {
    for (int i = 100; i < 180; i++) {
      store.submit(List.of(Draft.task().step("w" + i, "first").submission()));
    }
    Sql.run(
        url,
        "update berth_private.task set state = 'held'",
        "insert into berth_private.workflow_notice select now(), workflow from berth_private.task");
    try (Connection psql = DriverManager.getConnection(url)) {
      psql.setAutoCommit(false);
      psql.createStatement()
          .execute("select from berth_private.workflow where name < 'w150' for update");
      long began = System.nanoTime();
      assertThat(store.sweep().promoted()).isEqualTo(30);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }
    assertThat(store.sweep().promoted()).isEqualTo(50);
  }

  @Test
  void manyOverridesThatSomebodyHasLocked() throws SQLException {
    for (int i = 100; i < 180; i++) {
      store.apply(new Command.SetLimit(new LimitKey("limit/" + i), 1, Duration.ofMinutes(1)));
    }
    later();
    String set = "select count(*) from berth_private.task_limit where override_slots is not null";
    try (Connection psql = DriverManager.getConnection(url)) {
      psql.setAutoCommit(false);
      psql.createStatement()
          .execute("select from berth_private.task_limit where key < 'limit/150' for update");
      long began = System.nanoTime();
      store.sweep();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
      assertThat(Sql.query(url, set)).containsExactly("50");
    }
    store.sweep();
    assertThat(Sql.query(url, set)).containsExactly("0");
  }

  /**
   * The lock lasts for longer than the sweep waits for it, and is gone when the task would fail.
   */
  @Test
  void dueTasksWhoseTableSomebodyHasLocked() throws SQLException {
    store.submit(List.of(Draft.task().delay(Duration.ofSeconds(30)).submission()));
    later();
    String waiting =
        "select count(*) from pg_locks l join pg_database d on d.oid = l.database where d.datname ="
            + " current_database() and not l.granted";
    try (Connection psql = DriverManager.getConnection(url)) {
      psql.setAutoCommit(false);
      psql.createStatement().execute("lock table berth_private.task in share mode");
      CompletableFuture<Swept> sweep =
          CompletableFuture.supplyAsync(store::sweep, Thread::startVirtualThread);
      await().pollInterval(Duration.ofMillis(2)).until(() -> !Sql.query(url, waiting).equals(NONE));
      await().pollDelay(Duration.ofMillis(470)).untilAsserted(() -> psql.rollback());
      sweep.join();
    }
    assertThat(Sql.query(url, "select state from berth.tasks")).doesNotContain("FAILED");
    store.sweep();
    assertThat(Sql.query(url, "select state from berth.tasks")).containsExactly("PENDING");
  }

  @Test
  void aSessionThatCannotBeEnded() {
    for (String worker : List.of("a", "bad", "c")) {
      Claimer.open(store, worker, Draft.TYPE);
    }
    poison("session", "delete", "old.worker = 'bad'");
    later();
    assertThat(Sql.query(url, SWEEP))
        .containsExactly("session 2 has expired and could not be ended: poison");
    assertThat(Sql.query(url, "select worker from berth_private.session")).containsExactly("bad");
  }

  /** Nothing is wrong with the task. */
  @Test
  void aTaskWhoseWorkflowIsLockedIsTakenBackLater() throws SQLException {
    store.submit(
        List.of(
            Draft.task().step("order", "pay").submission(),
            Draft.task().step("order", "ship").submission()));
    var pay = Claimer.open(store, "first", Draft.TYPE).claim(1);
    store.submit(List.of(Draft.task().submission()));
    Claimer.open(store, "second", Draft.TYPE).claim(1);
    store.apply(new Command.Cancel(pay.getFirst().lease().task(), "not wanted"));
    later();
    try (Connection psql = DriverManager.getConnection(url)) {
      psql.setAutoCommit(false);
      psql.createStatement().execute("select from berth_private.workflow for update");
      assertThat(store.sweep().sessionsExpired()).isEqualTo(1);
      assertThat(Sql.query(url, "select state from berth.tasks where step = 'pay'"))
          .containsExactly("RUNNING");
    }
    assertThat(store.sweep().sessionsExpired()).isEqualTo(1);
    assertThat(Sql.query(url, "select state from berth.tasks where step = 'pay'"))
        .containsExactly("CANCELLED");
  }

  @Test
  void theNextScheduleCannotBeFoundOut() {
    Sql.run(
        url,
        "select berth.set_schedule('tick', 'nap', every => '1 s')",
        "create or replace function berth_private.next_schedule(out due boolean, out next_at"
            + " timestamptz) language plpgsql as $$ begin raise 'poison'; end $$");
    store.submit(List.of(Draft.task().delay(Duration.ofSeconds(30)).submission()));
    later();
    Swept swept = store.sweep();
    assertThat(swept.promoted()).isEqualTo(1);
    assertThat(swept.schedules()).hasSize(1);
    assertThat(Sql.query(url, SWEEP))
        .containsExactly("it could not be found out when a schedule is due: poison");
  }

  @Test
  void allThatIsOldButOneItemIsForgotten() {
    Sql.run(
        url,
        "insert into berth_private.limit_change (key, at, slots) values ('limit/gone', now(),"
            + " null)");
    store.submit(List.of(Draft.task().submission()));
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    claimer.end(claimer.claimOne(), new Outcome.Finished(null));
    Sql.run(url, "update berth_private.clock set shift = interval '100 days'");
    Sql.run(
        url,
        "create or replace function berth_private.forget_limits(p_size integer default 10000)"
            + " returns void language plpgsql as $$ begin raise 'poison'; end $$");
    assertThat(Sql.query(url, "select array_to_string(faults, '; ') from berth.prune()"))
        .containsExactly("limits that nobody uses could not be forgotten: poison");
    assertThat(Sql.query(url, "select key from berth_private.limit_change")).isEmpty();
  }

  private void later() {
    Sql.run(url, "update berth_private.clock set shift = interval '5 minutes'");
  }

  /** What is done to such a row fails. */
  private void poison(String table, String what, String row) {
    Sql.run(
        url,
        "create function public.poison() returns trigger language plpgsql as $$ begin raise"
            + " 'poison'; end $$",
        "create trigger poison before %s on berth_private.%s for each row when (%s) execute function public.poison()"
            .formatted(what, table, row));
  }
}
