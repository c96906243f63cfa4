package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody launches, runs or sees what is not theirs. */
class SqlForgeryTest {

  @Test
  void theLauncherCannotBeNamed() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      for (String forged :
          List.of(
              "insert into berth.launching (id, statement, launcher)"
                  + " values (gen_random_uuid(), 'select 1', 'bob')",
              "insert into berth_private.sql_task select gen_random_uuid(), 'bob'::regrole, 'select"
                  + " 1', '{}', true, null, ''",
              "update berth.sql_tasks set statement = 'select 2'",
              "insert into berth_private.task (id) values (gen_random_uuid())",
              "insert into berth_private.sql_ticket values (pg_backend_pid(), gen_random_uuid(),"
                  + " 1)",
              "select berth_private.take_launch()",
              "select * from berth_private.sql_task",
              "select * from berth_private.task",
              "create or replace function berth.launch() returns void language sql as ''")) {
        assertThatThrownBy(() -> fixture.as("alice", forged))
            .as(forged)
            .isInstanceOf(SQLException.class)
            .hasMessageMatching(
                "(?s).*(permission denied|cannot update view|trigger functions can only be"
                    + " called).*");
      }
      assertThat(fixture.launch("alice", "select 1")).isNotBlank();
      assertThat(fixture.database.query("select launcher from berth.sql_tasks"))
          .containsExactly("alice");
    }
  }

  @Test
  void theRoleInForceLaunchesNotTheLogin() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.database.run(
          "create schema shared",
          "grant all on schema shared to bob",
          "grant usage on schema shared to alice");
      fixture.as(
          "bob",
          "create function shared.launch() returns uuid language sql security definer as"
              + " $$ select berth.launch('select 1') $$");
      fixture.as("alice", "select shared.launch()");
      fixture.as("naive_worker", "set role alice", "select berth.launch('select 2')");

      assertThat(
              fixture.database.query(
                  "select launcher || ' ' || statement from berth.sql_tasks order by 1"))
          .containsExactly("alice select 2", "bob select 1");
      fixture.database.run("drop schema shared cascade");
    }
  }

  @Test
  void nobodyLaunchesWithoutBeingAllowed() {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      assertThatThrownBy(() -> fixture.launch("nobody", "select 1"))
          .hasMessageContaining("permission denied for schema berth");
      fixture.database.run("grant usage on schema berth to nobody");
      assertThatThrownBy(() -> fixture.launch("nobody", "select 1"))
          .hasMessageContaining("permission denied for function launch");
      assertThatThrownBy(() -> fixture.as("alice", "select berth.allow_launch('nobody')"))
          .hasMessageContaining("permission denied");
      assertThatThrownBy(
              () -> fixture.as("postgres", "select berth.allow_launch('alice', 'bob_or_so')"))
          .hasMessageContaining("There is no role bob_or_so");
      assertThatThrownBy(
              () -> fixture.as("postgres", "select berth.allow_launch('alice', 'naive_worker')"))
          .hasMessageContaining("is a member of");
      assertThatThrownBy(() -> fixture.as("postgres", "select berth.allow_launch('postgres')"))
          .hasMessageContaining("is a superuser");
    }
  }

  @Test
  void everyoneSeesTheirOwn() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.launch("alice", "select 'hers'");
      fixture.launch("bob", "select 'his'");
      fixture.as(
          "alice", // so cheap that a planner asks it first, if it may
          "create function alice.spy(text) returns boolean language plpgsql cost 0.0001 as"
              + " $$ begin if $1 !~ 'hers' then raise exception 'seen %', $1; end if;"
              + " return true; end $$");

      assertThat(fixture.one("alice", "select string_agg(statement, ' ') from berth.sql_tasks"))
          .isEqualTo("select 'hers'");
      assertThat(fixture.one("bob", "select string_agg(statement, ' ') from berth.sql_tasks"))
          .isEqualTo("select 'his'");
      assertThat(
              fixture.one(
                  "alice", "select count(*) from berth.sql_tasks where alice.spy(statement)"))
          .isEqualTo("1");
      assertThat(fixture.database.count("select count(*) from berth.sql_tasks")).isEqualTo(2);
    }
  }

  @Test
  void aTaskThatEndedCannotBeMadeLiveAgainByASubmitter() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.work();
      String id = fixture.launch("alice", "insert into leaked values ('once', 'once')");
      fixture.awaitState(id, "finished");
      String unknown = "00000000-0000-7000-8000-000000000000";
      for (String forged : List.of(id, unknown)) {
        fixture.database.run(
            "insert into berth_private.task (id, position, due_at, submitted_at, state, type,"
                + " queue, payload) values ('"
                + forged
                + "', now(), now(), now(), 'ready', 'berth.sql', 'sql', '\"bob\"')");
        await()
            .until(() ->
                fixture.database.count(
                        "select count(*) from berth_private.task where id = '" + forged + "'")
                    == 0);
      }

      assertThat(
              fixture.database.query(
                  "select error from berth.attempts where outcome = 'failed' order by ended_at"))
          .satisfiesExactly(
              again -> assertThat(again).contains("it has ended before"),
              never -> assertThat(never).contains("was not launched with berth.launch"));
      assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);
    }
  }

  @Test
  void whoLosesTheRightOrIsGoneRunsNoMore() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      String id = fixture.launch("bob", "insert into leaked values ('a', 'b')");
      fixture.database.run("select berth.forbid_launch('bob')");
      fixture.work();

      fixture.awaitState(id, "failed");
      assertThat(fixture.see(id, "errors")).contains("bob, may not launch any more");
      assertThatThrownBy(() -> fixture.launch("bob", "select 1"))
          .hasMessageContaining("permission denied for schema berth");
    }
  }

  @Test
  void whatATaskLeavesInItsSessionIsGone() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.work(
          RoleConnections.runner(fixture.url("berth_runner")),
          worker -> worker.maxConcurrentTasks(1));
      String first =
          fixture.launch(
              "alice",
              "create temp table left_over as select 1; prepare p as select 1; listen l; set"
                  + " work_mem = '77MB'; select pg_advisory_lock(4711)");
      fixture.awaitState(first, "finished");
      String second =
          fixture.launch(
              "bob",
              "select (select count(*) from pg_prepared_statements where name = 'p') as prepared,"
                  + " to_regclass('pg_temp.left_over') is not null as temporary,"
                  + " (select count(*) from pg_listening_channels()) as listening,"
                  + " current_setting('work_mem') = '77MB' as setting,"
                  + " pg_try_advisory_xact_lock(4711) as free");

      fixture.awaitState(second, "finished");
      assertThat(fixture.see(second, "result"))
          .isEqualTo(
              "[{\"free\": true, \"setting\": false, \"prepared\": 0, \"listening\": 0,"
                  + " \"temporary\": false}]");
    }
  }

  /**
   * On a connection that is logged in as the launcher there is nobody between it and the ticket.
   */
  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void aLauncherCannotFinishItsTaskItself(String transaction) throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.work(fixture.launchers(), worker -> worker);
      String id =
          fixture.launch(
              "alice",
              """
              do $$
              declare
                v_call text;
                v_done boolean;
              begin
                foreach v_call in array array['''forged''',
                    '''{"rows": "forged"}''',
                    'null, 9, null',
                    'gen_random_uuid(), 9, ''[{"a": "forged"}]''',
                    '(select proof from berth_private.sql_ticket), 9, null',
                    '(select proof from berth.ticket), 9, null'] loop
                  begin
                    execute 'select berth.finish_sql(' || v_call || ')' into v_done;
                  exception when others then
                    v_done := false;
                  end;
                  if v_done then
                    insert into leaked values ('finished', v_call);
                  end if;
                end loop;
              end $$\
              """,
              ", transaction => " + transaction);

      fixture.awaitState(id, "finished");
      assertThat(fixture.database.query("select value from leaked")).isEmpty();
      assertThat(fixture.see(id, "rows || ' ' || coalesce(result, 'null')")).isEqualTo("0 null");
    }
  }

  @Test
  void theViewShowsWhateverIsStored() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.work();
      String id = fixture.launch("alice", "select 1 as one");
      fixture.awaitState(id, "finished");
      for (String stored :
          List.of(
              "null",
              "''",
              "'no JSON'",
              "'[1]'",
              "'7'",
              "'{\"rows\": \"x\"}'",
              "'{\"rows\": 1e400}'",
              "'{\"rows\": [1], \"result\": {}}'",
              "repeat('[', 100000)")) {
        fixture.database.run(
            "update berth_private.task_history set failures = 2147483647, crashes = 2147483647,"
                + " result = "
                + stored);
        for (String reader : List.of("postgres", "alice")) {
          assertThat(fixture.one(reader, "select concat(id, rows) from berth.sql_tasks s"))
              .as(stored)
              .isEqualTo(id);
          fixture.as(reader, "select * from berth.sql_tasks");
        }
      }
    }
  }

  /** Functions are dropped and made again, and grants with them. */
  @Test
  void theRunnerStillFinishesAfterFunctionsWereReplaced() throws Exception {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      fixture.database.run(
          "update berth_private.schema_version set checksum = 'another' where number = 0");
      PostgresStore.of(fixture.database.pool());
      fixture.work();
      String id = fixture.launch("alice", "select 1");

      fixture.awaitState(id, "finished");
    }
  }
}
