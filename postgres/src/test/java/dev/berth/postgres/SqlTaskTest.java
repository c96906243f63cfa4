package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.task.TaskId;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQL tasks from launch to end. */
class SqlTaskTest {

  private final SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aTaskWaitsForAWorkerAndItsEffectAndResultAreThere() throws Exception {
    String id =
        fixture.launch("alice", "insert into leaked values ('a', 'b'), ('c', 'd') returning how");
    assertThat(fixture.see(id, "state")).isEqualTo("pending");
    assertThat(
            fixture.one(
                "alice", "select started_at is null and closed_at is null from berth.sql_tasks"))
        .isEqualTo("t");
    Worker worker = fixture.work();

    fixture.awaitState(id, "finished");
    SqlResult result =
        fixture.berth.await(SqlTasks.TYPE, new TaskId(UUID.fromString(id)), Duration.ofSeconds(1));
    assertThat(result.rows()).isEqualTo(2);
    assertThat(result.result()).extracting(row -> row.get("how")).containsExactly("a", "c");
    assertThat(fixture.see(id, "rows || ' ' || result"))
        .isEqualTo("2 [{\"how\": \"a\"}, {\"how\": \"c\"}]");
    assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(2);
    await().until(() -> worker.stats().inFlight() == 0);
    assertThat(worker.stats().finished()).isEqualTo(1);
    assertThat(worker.stats().staleOutcomes()).isZero();
    assertThat(fixture.database.count("select count(*) from berth_private.sql_ticket")).isZero();
  }

  @Test
  void severalStatementsAreOneTransaction() throws Exception {
    fixture.work();
    String good =
        fixture.launch(
            "alice",
            "insert into leaked values ('1', ''); insert into leaked values ('2', ''), ('3', '')");
    String bad = fixture.launch("alice", "insert into leaked values ('4', ''); select 1 / 0");

    fixture.awaitState(good, "finished");
    fixture.awaitState(bad, "failed");
    assertThat(fixture.see(good, "rows")).isEqualTo("2");
    assertThat(fixture.see(bad, "errors")).isEqualTo("attempt 1: 22012: division by zero");
    assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(3);
  }

  @Test
  void badStatementsAreRecordedWithTheirSqlstate() throws Exception {
    fixture.work();
    String wrong = fixture.launch("alice", "selekt 1");
    String missing = fixture.launch("alice", "select * from no_such_table");
    String commit = fixture.launch("alice", "commit");

    fixture.awaitState(wrong, "failed");
    fixture.awaitState(missing, "failed");
    fixture.awaitState(commit, "failed");
    assertThat(fixture.see(wrong, "errors")).contains("42601: syntax error at or near \"selekt\"");
    assertThat(fixture.see(missing, "errors")).contains("42P01: ", "no_such_table");
    assertThat(fixture.see(commit, "errors")).contains("0A000");
    assertThat(fixture.see(wrong, "retry_count || ' ' || (closed_at is not null)"))
        .isEqualTo("0 true");
  }

  @Test
  void wrongLaunchesAreRefused() {
    for (String empty : new String[] {"", "  ;; ", "-- only a comment", "/* and\n another */ ;"}) {
      assertThatThrownBy(() -> fixture.launch("alice", empty))
          .hasMessageContaining("needs a statement");
    }
    assertThatThrownBy(() -> fixture.launch("alice", "select 1", ", topics => '{\" \"}'"))
        .hasMessageContaining("A topic needs a name");
    assertThatThrownBy(() -> fixture.launch("alice", "select 1", ", topics => '{null}'"))
        .hasMessageContaining("A topic needs a name");
    assertThatThrownBy(() -> fixture.launch("alice", "select 1", ", timeout => '0'"))
        .hasMessageContaining("use 1 millisecond to 24 days");
    assertThatThrownBy(() -> fixture.launch("alice", "select 1", ", priority => 10"))
        .hasMessageContaining("Priority 10 is out of range");
    assertThat(fixture.database.count("select count(*) from berth_private.task")).isZero();
    assertThat(fixture.database.count("select count(*) from berth_private.sql_task")).isZero();
  }

  @Test
  void aStatementIsStoppedAfterItsTimeout() throws Exception {
    fixture.work();
    String id =
        fixture.launch(
            "alice", "set statement_timeout = 0; select pg_sleep(600)", ", timeout => '100ms'");

    fixture.awaitState(id, "failed");
    assertThat(fixture.see(id, "errors"))
        .contains("57014: canceling statement due to statement timeout");
  }

  @Test
  void aCancelledStatementIsStoppedOnTheServer() throws Exception {
    fixture.work();
    String id = fixture.launch("alice", "select pg_sleep(600)");
    String active =
        "select count(*) from pg_stat_activity where datname = current_database()"
            + " and usename = 'berth_runner' and state = 'active'";
    await().until(() -> fixture.database.count(active) == 1);

    fixture.berth.cancel(new TaskId(UUID.fromString(id)), "not wanted");

    fixture.awaitState(id, "cancelled");
    await().until(() -> fixture.database.count(active) == 0);
  }

  @Test
  void aResultIsBounded() throws Exception {
    fixture.work();
    String many = fixture.launch("alice", "select g from generate_series(1, 5000) g");
    String long_ = fixture.launch("alice", "select repeat('x', 3000) from generate_series(1, 50)");
    String huge = fixture.launch("alice", "select repeat('x', 100000000)");

    fixture.awaitState(many, "finished");
    fixture.awaitState(long_, "finished");
    fixture.awaitState(huge, "finished");
    assertThat(fixture.see(many, "rows || ' ' || jsonb_array_length(result)"))
        .isEqualTo("5000 100");
    assertThat(fixture.see(long_, "rows || ' ' || jsonb_array_length(result)")).isEqualTo("50 5");
    assertThat(fixture.see(huge, "rows || ' ' || jsonb_array_length(result)")).isEqualTo("1 0");
  }

  @Test
  void theTaskIsPartOfTheTransactionThatLaunchesIt() throws Exception {
    try (Connection connection = DriverManager.getConnection(fixture.url("alice"))) {
      connection.setAutoCommit(false);
      SqlTasks.launch(connection, "select 1", o -> o);
      connection.rollback();
      TaskId kept =
          SqlTasks.launch(
              connection, "select 2", o -> o.topics("a").timeout(Duration.ofMinutes(5)));
      connection.commit();

      assertThat(fixture.database.query("select id from berth.sql_tasks"))
          .containsExactly(kept.value().toString());
      assertThat(fixture.see(kept.value().toString(), "concat_ws(' ', topics, timeout, launcher)"))
          .isEqualTo("{a} 00:05:00 alice");
    }
  }

  @Test
  void anIdOfItsOwnMakesALaunchIdempotent() throws Exception {
    UUID id = UUID.randomUUID();
    String own = ", id => '" + id + "'";
    fixture.work();
    assertThat(fixture.launch("alice", "insert into leaked values ('a', '')", own))
        .isEqualTo(id.toString());
    fixture.awaitState(id.toString(), "finished");
    assertThat(fixture.launch("alice", "insert into leaked values ('a', '')", own))
        .isEqualTo(id.toString());

    assertThatThrownBy(() -> fixture.launch("bob", "select 1", own))
        .hasMessageContaining("belongs to a task of type berth.sql");
    assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
    assertThat(fixture.database.count("select count(*) from berth_private.task")).isZero();
  }

  @Test
  void namesMeanWhatTheyMeantAtTheLaunch() throws Exception {
    fixture.as("alice", "create table alice.mine as select 7 as value");
    fixture.work();
    String id;
    try (Connection connection = DriverManager.getConnection(fixture.url("alice"))) {
      connection.createStatement().execute("set search_path = pg_temp, alice");
      id = SqlTasks.launch(connection, "select value from mine", o -> o).value().toString();
    }

    fixture.awaitState(id, "finished");
    assertThat(fixture.see(id, "result")).isEqualTo("[{\"value\": 7}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 2, id => '%s'",
        "select 1, id => '%s', topics => '{other}'",
        "select 1, id => '%s', transaction => false"
      })
  void anotherStatementUnderAnIdIsRefused(String other) throws Exception {
    String id = "00000000-0000-4000-8000-000000000001";
    fixture.launch("alice", "select 1", ", id => '%s'".formatted(id));
    assertThat(fixture.launch("alice", "select 1", ", id => '%s'".formatted(id))).isEqualTo(id);
    String[] parts = other.formatted(id).split(",", 2);

    assertThatThrownBy(() -> fixture.launch("alice", parts[0], "," + parts[1]))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"))
        .hasMessageContaining(
            "The id " + id + " belongs to a SQL task with another statement, other topics or");
    assertThat(fixture.see(id, "statement")).isEqualTo("select 1");
  }

  @Test
  void withoutATransactionItNeedsALoginOfTheLauncher() throws Exception {
    fixture.as("alice", "create table alice.t as select 1 as i");
    Worker runner = fixture.work();
    String refused = fixture.launch("alice", "vacuum analyze alice.t", ", transaction => false");
    fixture.awaitState(refused, "failed");
    assertThat(fixture.see(refused, "errors")).contains("logged in as the role that launched it");
    String inside = fixture.launch("alice", "vacuum alice.t");
    fixture.awaitState(inside, "failed");
    assertThat(fixture.see(inside, "errors")).contains("25001");
    runner.stop();

    fixture.work(fixture.launchers(), worker -> worker);
    String missing =
        fixture.launch("alice", "vacuum (analyze) no_such_table", ", transaction => false");
    fixture.awaitState(missing, "failed");
    assertThat(fixture.see(missing, "errors")).contains("42P01");
    String done = fixture.launch("alice", "vacuum (analyze) t", ", transaction => false");
    String normal = fixture.launch("alice", "insert into leaked select session_user, current_user");
    fixture.awaitState(done, "finished");
    fixture.awaitState(normal, "finished");
    assertThat(fixture.database.count("select count(*) from pg_stats where schemaname = 'alice'"))
        .isEqualTo(1);
    assertThat(fixture.database.query("select how || value from leaked"))
        .containsExactly("alicealice");
  }

  @Test
  void aRunnerWithRightsIsNotUsed() throws Exception {
    fixture.work(RoleConnections.runner(fixture.url("postgres")), worker -> worker);
    String id = fixture.launch("alice", "insert into leaked values ('a', '')");

    await()
        .until(() ->
            fixture.database.count("select count(*) from berth.attempts where outcome = 'released'")
                > 0);
    assertThat(fixture.see(id, "state || ' ' || retry_count")).isEqualTo("pending 0");
    assertThat(fixture.database.count("select count(*) from leaked")).isZero();
  }

  @Test
  void launchesFromJavaAreThoseOfTheStoresRole() throws SQLException {
    assertThatThrownBy(() -> fixture.sql.launch("select 1"))
        .hasMessageContaining("Role postgres is a superuser, who cannot launch SQL tasks");
  }

  @Test
  void whatWasLaunchedIsForgottenWithItsHistory() throws Exception {
    Worker worker = fixture.work();
    String ended = fixture.launch("alice", "select 1");
    fixture.awaitState(ended, "finished");
    worker.stop();
    String waiting = fixture.launch("alice", "select 2");

    fixture.advance(Duration.ofDays(9));
    fixture.database.run("select berth.prune()");

    assertThat(fixture.database.query("select task_id from berth_private.sql_task"))
        .containsExactly(waiting);
  }

  @Test
  void aFailedTaskThatAPersonRetriesRunsAgain() throws Exception {
    fixture.work();
    String id = fixture.launch("alice", "insert into alice.later values (1)");
    fixture.awaitState(id, "failed");
    fixture.as("alice", "create table alice.later (i integer)");

    fixture.berth.retry(new TaskId(UUID.fromString(id)));

    await().until(() -> fixture.see(id, "state").equals("finished"));
    assertThat(fixture.see(id, "errors")).startsWith("attempt 1: 42P01");
  }
}
