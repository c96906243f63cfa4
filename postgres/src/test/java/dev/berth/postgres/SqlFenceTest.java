package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Claim;
import dev.berth.testkit.Claimer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/**
 * The fences around a SQL task, one by one. Where one falls the others still keep an attacker out:
 * an attack alone does not show that all of them stand.
 */
class SqlFenceTest {

  private final SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  /** A runner may call the function of every launcher: the ticket is what says no. */
  @Test
  void aTicketIsForItsLauncherOnly() throws SQLException {
    fixture.launch("alice", "insert into public.leaked values (current_user, 'ran')");
    Claim claim = Claimer.open(fixture.store, "worker", "berth.sql").claim(1, "sql").getFirst();
    try (Connection runner = DriverManager.getConnection(fixture.url("berth_runner"));
        Statement statement = runner.createStatement()) {
      fixture.database.run(
          "select berth.admit_sql('%s', %d, %d, array(select proof from berth_private.session))"
              .formatted(
                  claim.lease().task(),
                  claim.lease().token(),
                  runner.unwrap(PGConnection.class).getBackendPID()));

      assertThatThrownBy(() -> statement.execute(callOf("bob")))
          .hasMessageContaining("There is no SQL task for this backend and role bob");
      statement.execute(callOf("alice"));
    }
    assertThat(fixture.database.query("select how from leaked")).containsExactly("alice");
  }

  private String callOf(String launcher) {
    return fixture.database.one(
        "select format('select * from berth.run_as_%%s()', '%s'::regrole::oid)"
            .formatted(launcher));
  }

  /** At the commit it would run as the runner. */
  @Test
  void aDeferredTriggerHasTheRightsOfTheLauncher() throws SQLException {
    fixture.as(
        "alice",
        "create table alice.t (i integer)",
        "create function alice.f() returns trigger language plpgsql as $$ begin"
            + " insert into public.leaked values (current_user, 'ran'); return null; end $$",
        "create constraint trigger t after insert on alice.t deferrable initially deferred"
            + " for each row execute function alice.f()");
    fixture.work();

    fixture.awaitState(fixture.launch("alice", "insert into alice.t values (1)"), "finished");

    assertThat(fixture.database.query("select how from leaked")).containsExactly("alice");
  }

  @Test
  void aTriggerThatDefersAnotherOneThatWritesEndsTheTask() throws SQLException {
    fixture.as(
        "alice",
        "create table alice.t (i integer)",
        "create table alice.u (i integer)",
        "create function alice.f() returns trigger language plpgsql as $$ begin"
            + " set constraints all deferred; insert into alice.u values (1); return null; end $$",
        "create function alice.g() returns trigger language plpgsql as $$ begin"
            + " insert into public.leaked values (current_user, 'ran'); return null; end $$",
        "create constraint trigger t after insert on alice.t deferrable initially deferred"
            + " for each row execute function alice.f()",
        "create constraint trigger u after insert on alice.u deferrable initially deferred"
            + " for each row execute function alice.g()");
    fixture.work();

    String id = fixture.launch("alice", "insert into alice.t values (1)");
    fixture.awaitState(id, "failed");

    assertThat(fixture.see(id, "errors")).contains("A trigger deferred another one that writes");
  }

  /** Else the commit would run what it has left to read. */
  @Test
  void aCursorThatIsLeftOpenIsClosed() throws SQLException {
    fixture.as(
        "alice",
        "create function alice.f() returns text language plpgsql as"
            + " $$ begin raise exception 'it runs as %', current_user; end $$");
    fixture.work();

    fixture.awaitState(
        fixture.launch("alice", "declare c cursor with hold for select alice.f()"), "finished");
  }
}
