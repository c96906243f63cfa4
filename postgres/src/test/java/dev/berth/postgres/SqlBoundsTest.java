package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.task.TaskId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be launched, and how long it may take: every SQL task comes to an end. */
class SqlBoundsTest {

  private static final String DEAF =
      """
      do $$ begin
        loop
          begin
            perform pg_sleep(600);
          exception when query_canceled then
            null;
          end;
        end loop;
      end $$\
      """;

  private final SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);

  @AfterEach
  void close() {
    fixture.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "1 microsecond",
        "999 microseconds",
        "-1 second",
        "24 days 1 second",
        "25 days",
        "1 month",
        "1 year -337 days", // less than 24 days of a calendar with months of 30 days
        "-1 year 361 days",
        "infinity",
        "-infinity",
        "178000000 years"
      })
  void aTimeoutThatTheServerDoesNotKnowIsRefused(String timeout) {
    assertThatThrownBy(() -> fixture.launch("alice", "select 1", ", timeout => '" + timeout + "'"))
        .hasMessageContaining("The timeout of a SQL task cannot be")
        .hasMessageContaining("use 1 millisecond to 24 days");
    assertThatThrownBy(
            () -> fixture.database.run("select berth.set_sql_timeout('" + timeout + "')"))
        .hasMessageContaining("use 1 millisecond to 24 days");
    assertThat(fixture.database.count("select count(*) from berth_private.task")).isZero();
  }

  @Test
  void javaHasTheSameBounds() throws SQLException {
    for (Duration wrong :
        List.of(
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofMillis(-1),
            Duration.ofDays(24).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatThrownBy(() -> LaunchOptions.DEFAULT.timeout(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("The timeout of a SQL task cannot be " + wrong)
          .hasMessageContaining("use 1 millisecond to 24 days");
    }
    try (Connection connection = DriverManager.getConnection(fixture.url("alice"))) {
      for (Duration longest : List.of(Duration.ofMillis(1), Duration.ofDays(24))) {
        TaskId id = SqlTasks.launch(connection, "select 1", o -> o.timeout(longest));
        assertThat(fixture.see(id.toString(), "1000 * extract(epoch from timeout)::bigint"))
            .isEqualTo(String.valueOf(longest.toSeconds() * 1000));
      }
    }
  }

  @Test
  void whoSaysNoTimeoutHasTheDefault() throws SQLException {
    assertThat(fixture.see(fixture.launch("alice", "select 1"), "timeout")).isEqualTo("01:00:00");
    fixture.database.run("select berth.set_sql_timeout('00:00:00.1')");
    fixture.work();
    String id = fixture.launch("alice", "select pg_sleep(600)");

    fixture.awaitState(id, "failed");
    assertThat(fixture.see(id, "errors"))
        .contains("57014: canceling statement due to statement timeout");
    assertThatThrownBy(() -> fixture.as("alice", "select berth.set_sql_timeout('1 day')"))
        .hasMessageContaining("permission denied");
  }

  @Test
  void aStatementThatDoesNotStopIsEnded() throws SQLException {
    fixture.work(fixture.launchers(), worker -> worker);
    String deaf = fixture.launch("alice", DEAF, ", timeout => '100ms'");
    String unset =
        fixture.launch(
            "bob",
            "set statement_timeout = 0; select pg_sleep(600)",
            ", timeout => '100ms', transaction => false");

    for (String id : List.of(deaf, unset)) {
      fixture.awaitState(id, "failed");
      assertThat(fixture.see(id, "errors"))
          .isEqualTo(
              "attempt 1: 57014: The statement did not stop after its timeout of 0.1 s: its"
                  + " connection was ended");
    }
    SqlTaskFixture.soon()
        .until(() ->
            fixture.database.count(
                    "select count(*) from pg_stat_activity where datname = current_database() and"
                        + " usename in ('alice', 'bob')")
                == 0);
  }

  @Test
  void aTransactionThatIsLeftOpenIsAFailure() throws SQLException {
    fixture.work(fixture.launchers(), worker -> worker);
    String insert = "insert into leaked values ('a', '')";
    for (String open :
        List.of("begin; " + insert, "begin; " + insert + "; commit and chain; " + insert)) {
      String id = fixture.launch("alice", open, ", transaction => false");
      fixture.awaitState(id, "failed");
      assertThat(fixture.see(id, "errors"))
          .contains("The statement left a transaction open, which was rolled back");
    }
    assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(1);

    String ended =
        fixture.launch("alice", "begin; " + insert + "; commit", ", transaction => false");
    fixture.awaitState(ended, "finished");
    assertThat(fixture.database.count("select count(*) from leaked")).isEqualTo(2);
  }

  @Test
  void nothingOddIsLaunched() throws SQLException {
    for (String arguments :
        List.of(
            "null",
            "''",
            "E' \\t\\r\\n;;'",
            "'-- a' || chr(10) || '/* ; */ ; -- b'",
            "repeat(' ', 900000)")) {
      assertRefused(arguments, "needs a statement");
    }
    assertRefused("repeat('x', 1000001)", "has 1000001 bytes; at most 1000000");
    assertRefused("repeat('字', 333334)", "has 1000002 bytes; at most 1000000");
    assertRefused("repeat('/*', 5000000)", "has 10000000 bytes");
    assertRefused("'select 1', topics => '{a,null}'", "A topic needs a name");
    assertRefused("'select 1', topics => '{\" \"}'", "A topic needs a name");
    assertRefused("'select 1', topics => array[chr(7)]", "contains a control character");
    assertRefused("'select 1', topics => array[repeat('x', 201)]", "at most 200 are allowed");
    assertRefused(
        "'select 1', topics => array(select 't' || g from generate_series(1, 21) g)",
        "at most 20 topics, not 21");
    assertRefused("'select 1', queue => ' '", "A queue needs a name");
    assertRefused("'select 1', priority => 2147483647", "Priority 2147483647 is out of range");
    assertThatThrownBy(() ->
            fixture.as(
                "alice",
                "insert into berth.launching (statement, search_path)"
                    + " values ('select 1', repeat('x', 10001))"))
        .hasMessageContaining("search_path of a SQL task has 10001 bytes");
    assertThat(fixture.database.count("select count(*) from berth_private.task")).isZero();
  }

  @Test
  void whatIsLeftOutOrNullHasItsDefault() throws SQLException {
    fixture.work();
    fixture.as("alice", "insert into berth.launching (statement) values ('-- /*\nselect 1 -- */')");
    fixture.as(
        "alice",
        "select berth.launch('select 1', null, null, null, null, null, null, null)",
        "select berth.launch('/* one /* in another */ */ select 1', topics => '{{a,b},{a,c}}')");
    SqlTaskFixture.soon()
        .until(() ->
            fixture.database.count("select count(*) from berth.sql_tasks where state = 'finished'")
                == 3);
    assertThat(
            fixture.database.query(
                "select distinct concat_ws(' ', in_transaction, timeout, priority, queue)"
                    + " from berth.sql_tasks join berth.tasks using (id)"))
        .containsExactly("t 01:00:00 5 sql");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\0", "\ud800", "a\udc00b"})
  void javaRefusesWhatTheServerCannotKeep(String text) throws SQLException {
    try (Connection connection = DriverManager.getConnection(fixture.url("alice"))) {
      assertThatThrownBy(() -> SqlTasks.launch(connection, "select '" + text + "'", o -> o))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> SqlTasks.launch(connection, "select 1", o -> o.topics(text)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> SqlTasks.launch(connection, "select 1", o -> o.queue(text)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private void assertRefused(String arguments, String sentence) {
    assertThatThrownBy(() -> fixture.as("alice", "select berth.launch(" + arguments + ")"))
        .as(arguments)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(sentence);
  }
}
