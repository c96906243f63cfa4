package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A SQL task has the rights of its launcher and no others. Each attack is made twice: against the
 * obvious way to do it, a worker that sets the role of the launcher, where it succeeds; and against
 * ours, on the newest and on the oldest PostgreSQL.
 */
class SqlRightsTest {

  /**
   * What alice tries.
   *
   * @param before what she makes beforehand, as herself
   * @param statement what she launches; what it may not read goes into the table leaked
   */
  record Attack(String name, List<String> before, String statement) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final String PASSWORD =
      "select rolpassword from pg_authid where rolname = 'berth_runner'";
  private static final String GRAB =
      "insert into public.leaked select current_user, value from public.secret";
  private static final String GRAB_OF_BOB =
      "insert into public.leaked select current_user, value from public.bobs";

  /** Code that grabs what it can get and never fails. */
  private static final String GRAB_ALL =
      """
      declare
        v_command text;
      begin
        foreach v_command in array array[
          'insert into public.leaked select current_user, value from public.secret',
          'insert into public.leaked select current_user, value from public.bobs',
          'set role bob', 'insert into public.leaked select current_user, value from public.bobs',
          'select berth.run_as_' || (select oid from pg_catalog.pg_roles where rolname = 'bob') || '()',
          'alter role berth_runner password ''known to alice''',
          'select pg_terminate_backend(pid) from pg_stat_activity '
            'where usename = ''berth_runner'' and pid <> pg_backend_pid()'] loop
          begin
            execute v_command;
          exception when others then
            null;
          end;
        end loop;
        return null;
      end\
      """;

  /** The same, and it comes back ten times. */
  private static final String GRAB_AGAIN_AND_AGAIN =
      GRAB_ALL.replace(
          "return null;",
          "begin set constraints all deferred; insert into %1$s select 1 where (select count(*)"
              + " from %1$s) < 10; exception when others then null; end; return null;");

  private static final List<Attack> ATTACKS =
      List.of(
          new Attack("reset role", List.of(), "reset role; " + GRAB),
          new Attack("set_config", List.of(), "select set_config('role', 'none', false); " + GRAB),
          new Attack("set local role", List.of(), "set local role none; " + GRAB),
          new Attack(
              "session authorization", List.of(), "set session authorization default; " + GRAB),
          new Attack("reset all", List.of(), "reset all; reset role; " + GRAB),
          new Attack("discard all", List.of(), "commit; discard all; " + GRAB),
          new Attack("commit inside", List.of(), "commit; reset role; " + GRAB),
          new Attack("rollback inside", List.of(), "rollback; " + GRAB),
          new Attack("another launcher", List.of(), "reset role; set role bob; " + GRAB_OF_BOB),
          new Attack(
              "a function that sets the role",
              List.of(
                  "create function alice.f() returns void language plpgsql as"
                      + " $$ begin reset role; "
                      + GRAB
                      + "; end $$"),
              "select alice.f()"),
          new Attack(
              "a procedure that commits",
              List.of(
                  "create procedure alice.p() language plpgsql as"
                      + " $$ begin commit; reset role; "
                      + GRAB
                      + "; commit; end $$"),
              "commit; call alice.p()"),
          new Attack(
              "a deferred trigger",
              List.of(
                  "create function alice.f() returns trigger language plpgsql as $$"
                      + GRAB_ALL
                      + "$$",
                  "create table alice.t (i integer)",
                  "create constraint trigger t after insert on alice.t deferrable initially"
                      + " deferred for each row execute function alice.f()"),
              "insert into alice.t values (1)"),
          new Attack(
              "a trigger that defers again",
              List.of(
                  "create table alice.t (i integer)",
                  "create table alice.u (i integer)",
                  "create function alice.g() returns trigger language plpgsql as $$"
                      + GRAB_ALL
                      + "$$",
                  "create function alice.f() returns trigger language plpgsql as $$ begin set"
                      + " constraints all deferred; insert into alice.u values (1); return null;"
                      + " end $$",
                  "create constraint trigger t after insert on alice.t deferrable initially"
                      + " deferred for each row execute function alice.f()",
                  "create constraint trigger u after insert on alice.u deferrable initially"
                      + " deferred for each row execute function alice.g()",
                  "grant usage on schema alice to public",
                  "grant all on alice.t, alice.u to public"),
              "insert into alice.t values (1)"),
          new Attack(
              "a trigger that defers again and again",
              List.of(
                  "create table alice.t (i integer)",
                  "create function alice.f() returns trigger language plpgsql as $$"
                      + GRAB_AGAIN_AND_AGAIN.formatted("alice.t")
                      + "$$",
                  "create constraint trigger t after insert on alice.t deferrable initially"
                      + " deferred for each row execute function alice.f()",
                  "grant usage on schema alice to public",
                  "grant all on alice.t to public"),
              "insert into alice.t values (1)"),
          new Attack(
              "a trigger that defers again and again, on a temporary table",
              List.of(
                  "create function alice.f() returns trigger language plpgsql as $$"
                      + GRAB_AGAIN_AND_AGAIN.formatted("pg_temp.t")
                      + "$$",
                  "grant usage on schema alice to public"),
              "create temp table t (i integer);"
                  + " create constraint trigger t after insert on pg_temp.t deferrable initially"
                  + " deferred for each row execute function alice.f();"
                  + " grant all on pg_temp.t to public;"
                  + " insert into pg_temp.t values (1)"),
          new Attack(
              "a held cursor",
              List.of(
                  "create function alice.f() returns text language plpgsql as $$"
                      + GRAB_ALL
                      + "$$"),
              "declare c cursor with hold for select alice.f()"),
          new Attack(
              "a function with the rights of the worker is left behind",
              List.of("grant all on schema alice to public"),
              "reset role;"
                  + " create function alice.back_door() returns text language sql security definer"
                  + " as 'select value from public.secret';"
                  + " insert into public.leaked select current_user, alice.back_door()"));

  @Test
  void aWorkerThatSetsTheRoleCanBeRobbed() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.OLDEST)) {
      fixture.database.run(
          "grant select on public.secret to naive_worker",
          "grant all on public.leaked to naive_worker");
      for (Attack attack : ATTACKS) {
        prepare(fixture, attack);
        try (Connection worker = DriverManager.getConnection(fixture.url("naive_worker"));
            Statement statement = worker.createStatement()) {
          worker.setAutoCommit(false);
          statement.execute("set role alice");
          statement.execute(attack.statement());
          statement.execute("reset role");
          worker.commit();
        }

        assertThat(fixture.database.query("select value from leaked"))
            .as(attack.name())
            .contains(attack.statement().contains("bob") ? "for bob only" : "for the owner only");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Servers.class)
  void aRunnerWithoutRightsCannot(Servers server) throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(server)) {
      attack(fixture, RoleConnections.runner(fixture.url("berth_runner")));
    }
  }

  @Test
  void aLoginOfTheLauncherCannot() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      attack(fixture, fixture.launchers());
    }
  }

  private static void attack(SqlTaskFixture fixture, RoleConnections connections)
      throws SQLException {
    try (Connection lock = DriverManager.getConnection(fixture.database.url())) {
      lock.createStatement().execute("select pg_advisory_lock(1)");
      fixture.work(connections, worker -> worker);
      // a task of bob runs all the time: its ticket is of no use to alice
      String other = fixture.launch("bob", "select pg_advisory_xact_lock(1) from public.bobs");
      fixture.awaitState(other, "running");
      String password = fixture.database.one(PASSWORD);
      for (Attack attack : ATTACKS) {
        prepare(fixture, attack);
        String id = fixture.launch("alice", attack.statement());

        SqlTaskFixture.soon()
            .until(() -> List.of("finished", "failed").contains(fixture.see(id, "state")));
        assertThat(fixture.database.query("select value from leaked"))
            .as(attack.name() + ": " + fixture.see(id, "errors"))
            .isEmpty();
      }
      assertThat(fixture.database.one(PASSWORD)).isEqualTo(password);
      lock.createStatement().execute("select pg_advisory_unlock(1)");
      fixture.awaitState(other, "finished");
      assertThat(fixture.see(other, "retry_count || coalesce(errors, '')"))
          .as("nobody has ended the backend of bob's task")
          .isEqualTo("0");
    }
  }

  private static void prepare(SqlTaskFixture fixture, Attack attack) throws SQLException {
    fixture.database.run(
        "delete from public.leaked",
        "drop schema alice cascade",
        "create schema alice authorization alice");
    fixture.as("alice", attack.before().toArray(String[]::new));
  }
}
