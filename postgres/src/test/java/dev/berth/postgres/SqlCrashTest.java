package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.postgres.Proxy.Cut;
import dev.berth.postgres.Proxy.Cut.Moment;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The effect of a statement is there once, whatever becomes of the worker that runs it. */
class SqlCrashTest {

  private static final String WAIT_THEN_WRITE =
      "select pg_advisory_xact_lock(4); insert into leaked values ('effect', '')";

  private static final Map<String, String> SHORT_LEASE =
      Map.of(
          "BERTH_WORKER_NAME",
          "first",
          "BERTH_LEASE_MS",
          "1000",
          "BERTH_HEARTBEAT_INTERVAL_MS",
          "200");

  @ParameterizedTest
  @EnumSource(Servers.class)
  void aStatementWhoseWorkerIsKilledRunsAgain(Servers server) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(server);
        Connection lock = DriverManager.getConnection(fixture.database.url());
        WorkerProcess first =
            WorkerProcess.start(fixture.database.url(), SHORT_LEASE, "berth_runner").awaitUp()) {
      lock.createStatement().execute("select pg_advisory_lock(4)");
      String id = fixture.launch("alice", WAIT_THEN_WRITE);
      await().until(() -> waiting(fixture) == 1);

      first.kill();
      fixture.work();
      await()
          .until(() ->
              fixture.see(id, "retry_count || state").equals("1running") && waiting(fixture) == 1);
      lock.createStatement().execute("select pg_advisory_unlock(4)");

      fixture.awaitState(id, "finished");
      assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
      assertThat(fixture.see(id, "errors"))
          .contains("the worker first", "was lost while the task ran");
    }
  }

  @Test
  void aStatementWhoseWorkerIsFrozenRunsAgainAndTheOldOneIsStopped() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Connection lock = DriverManager.getConnection(fixture.database.url());
        WorkerProcess first =
            WorkerProcess.start(fixture.database.url(), SHORT_LEASE, "berth_runner").awaitUp()) {
      lock.createStatement().execute("select pg_advisory_lock(4)");
      String id = fixture.launch("alice", WAIT_THEN_WRITE);
      await().until(() -> waiting(fixture) == 1);
      String backend = fixture.database.one("select pid from berth_private.sql_ticket");

      first.freeze();
      fixture.work();
      await()
          .until(() ->
              fixture.see(id, "retry_count || state").equals("1running")
                  && waiting(fixture) == 1
                  && fixture.database.count(
                          "select count(*) from pg_stat_activity where pid = " + backend)
                      == 0);
      lock.createStatement().execute("select pg_advisory_unlock(4)");
      fixture.awaitState(id, "finished");
      first.thaw();
      await().until(() -> first.stats().get("inFlight") == 0);

      assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
      assertThat(
              fixture.database.query(
                  "select outcome from berth.attempts where outcome <> 'released' order by"
                      + " ended_at"))
          .containsExactly("crashed", "finished");
    }
  }

  @ParameterizedTest
  @EnumSource(Servers.class)
  void aBackendWhoseTokenIsStaleCannotFinish(Servers server) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(server);
        Connection late = DriverManager.getConnection(fixture.url("berth_runner"));
        Statement statement = late.createStatement()) {
      String id = fixture.launch("alice", "insert into leaked values ('effect', '')");
      String proof = claim(fixture, id, statement);
      late.setAutoCommit(false);
      statement.execute("select * from " + wrapper(fixture) + "()");
      assertThat(fixture.database.count("select count(*) from leaked")).isZero();

      fixture.advance(Duration.ofMinutes(1));
      assertThat(finish(statement, proof)).as("its session has run out").isFalse();
      fixture.store.sweep();
      assertThat(finish(statement, proof)).as("its session is gone").isFalse();
      claim(fixture, id, null);
      assertThat(finish(statement, proof)).as("the task is somebody else's").isFalse();
      late.rollback();

      assertThat(fixture.see(id, "state")).isEqualTo("running");
      assertThat(fixture.database.count("select count(*) from leaked")).isZero();
    }
  }

  @Test
  void aTaskOfAnotherBackendCannotBeFinishedNorRun() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Connection runner = DriverManager.getConnection(fixture.url("berth_runner"));
        Statement statement = runner.createStatement();
        Connection alice = DriverManager.getConnection(fixture.url("alice"));
        Statement hers = alice.createStatement()) {
      String id = fixture.launch("alice", "select 1");
      String proof = claim(fixture, id, statement);

      assertThat(finish(hers, proof)).as("another backend").isFalse();
      assertThat(finish(statement, UUID.randomUUID().toString())).as("without proof").isFalse();
      try (ResultSet ticket = hers.executeQuery("select * from berth.ticket")) {
        assertThat(ticket.next()).isFalse();
      }
      assertThat(fixture.see(id, "state")).isEqualTo("running");
      assertThat(finish(statement, proof)).isTrue();
      assertThat(fixture.see(id, "state")).isEqualTo("finished");
    }
  }

  /** The connection of the runner breaks at the worst moments. */
  @ParameterizedTest
  @CsvSource({
    "REPLY_TO, berth.run_as_, retry finished",
    "REQUEST, berth.finish_sql, retry finished",
    "REPLY_TO, berth.finish_sql, retry finished",
    "REQUEST, COMMIT, retry finished",
    "REPLY_TO, COMMIT, finished"
  })
  void aLostRequestOrReplyNeitherLosesNorDoublesTheEffect(
      Moment moment, String text, String outcomes) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Proxy proxy = Proxy.to(fixture.url("berth_runner"))) {
      Cut cut = proxy.cut(moment, text);
      String id = fixture.launch("alice", "insert into leaked values ('effect', '')");
      Worker worker = fixture.work(RoleConnections.runner(proxy.url()), builder -> builder);
      cut.await();
      await().until(() -> worker.stats().retried() + worker.stats().staleOutcomes() == 1);
      fixture.advance(Duration.ofSeconds(2));

      fixture.awaitState(id, "finished");
      assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
      assertThat(
              fixture.database.one(
                  "select string_agg(outcome::text, ' ' order by ended_at) from berth.attempts"))
          .isEqualTo(outcomes);
    }
  }

  /** It is not waited for without end: the effect is taken back, and no attempt is spent. */
  @Test
  void aTaskThatSomebodyHasLockedGoesBack() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Connection lock = DriverManager.getConnection(fixture.database.url())) {
      lock.createStatement().execute("select pg_advisory_lock(4)");
      fixture.work();
      String id = fixture.launch("alice", WAIT_THEN_WRITE);
      await().until(() -> waiting(fixture) == 1);
      lock.setAutoCommit(false);
      lock.createStatement().execute("select from berth_private.task for update");
      lock.createStatement().execute("select pg_advisory_unlock(4)");
      await().until(() -> finishing(fixture) == 1);
      await().until(() -> finishing(fixture) == 0);
      lock.rollback();

      fixture.advance(Duration.ofSeconds(2));
      fixture.awaitState(id, "finished");
      assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
      assertThat(
              fixture.database.query(
                  "select outcome || ' ' || attempt from berth.attempts order by ended_at"))
          .containsExactly("released 1", "finished 1");
    }
  }

  private static long finishing(SqlTaskFixture fixture) {
    return fixture.database.count(
        "select count(*) from pg_stat_activity where datname = current_database() and state ="
            + " 'active' and query like 'select berth.finish_sql%'");
  }

  /** Claims the task as a worker would; the backend of the statement may run it. */
  private static String claim(SqlTaskFixture fixture, String id, Statement runner)
      throws SQLException {
    long session =
        fixture.database.count(
            "select session_id from berth.open_session(1, 'w', null, '30s', 1, '{berth.sql}',"
                + " '{sql}')");
    fixture.database.query(
        "select kind from berth.exchange(%s, 1, '{}', '{}', '{}', '{}', '{}', '{sql}', '{null}', '{null}', '{lanes}', '{null}', '{berth.sql}', 1)"
            .formatted(Sql.caller(session)));
    assertThat(fixture.see(id, "state")).isEqualTo("running");
    if (runner != null) {
      try (ResultSet row = runner.executeQuery("select pg_backend_pid()")) {
        row.next();
        return fixture.database.one(
            "select a.proof from berth_private.task t cross join lateral berth.admit_sql(t.id, t.token, %d, array(select proof from berth_private.session)) a where t.id = '%s'"
                .formatted(row.getInt(1), id));
      }
    }
    return "";
  }

  private static boolean finish(Statement statement, String proof) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("select berth.finish_sql('" + proof + "', 0, null)")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static String wrapper(SqlTaskFixture fixture) {
    return fixture.database.one("select berth_private.run_as('alice'::regrole)");
  }

  /** How many backends wait for the lock of the test. */
  private static long waiting(SqlTaskFixture fixture) {
    return fixture.database.count(
        "select count(*) from pg_locks where locktype = 'advisory' and not granted and database ="
            + " (select oid from pg_database where datname = current_database())");
  }
}
