package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.view.Drift;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No launcher keeps the others from running, and all of them leave something to the server. */
class SqlCapTest {

  private static final String WAIT = "select pg_advisory_xact_lock_shared(7)";

  private final SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
  private Connection lock;

  @BeforeEach
  void lock() throws SQLException {
    lock = DriverManager.getConnection(fixture.database.url());
    lock.createStatement().execute("select pg_advisory_lock(7)");
  }

  @AfterEach
  void close() throws SQLException {
    lock.close();
    fixture.close();
  }

  @Test
  void oneLauncherWithManyEndlessStatementsHoldsUpNoOther() throws SQLException {
    launchTwenty("alice");
    fixture.work();
    awaitRunning("alice", workers() / 2);
    String id = fixture.launch("bob", "select 1");

    fixture.awaitState(id, "finished");
    assertThat(running("alice")).isEqualTo(workers() / 2);
    assertThat(explainedOf("alice")).contains("type/berth.sql/launcher/alice");
  }

  @Test
  void allTogetherHaveAsManyAsTheServerHasWorkers() throws SQLException {
    Servers.NEWEST.createRole("carol");
    fixture.database.run("select berth.allow_launch('carol')");
    try {
      for (String launcher : List.of("alice", "bob", "carol")) {
        launchTwenty(launcher);
      }
      fixture.work();
      SqlTaskFixture.soon().until(() -> running("%") == workers());
      String id = fixture.launch("carol", "select 1", ", priority => 9");
      assertThat(explained(id)).contains("type/berth.sql");

      lock.close();
      fixture.awaitState(id, "finished");
      SqlTaskFixture.soon().until(() -> running("%") == 0);
      // Two slots of one key given back at once leave its empty row behind: unused, never too many.
      assertThat(fixture.berth.reader().drift())
          .allMatch(drift -> drift.counter() == Drift.Counter.UNUSED);
      assertThat(
              fixture.database.query(
                  "select peak from berth.audit() where key = 'type/berth.sql' and peak > "
                      + workers()))
          .isEmpty();
    } finally {
      fixture.database.run("drop owned by carol cascade", "drop role carol");
    }
  }

  @Test
  void bothNumbersCanBeChanged() throws SQLException {
    fixture.database.run(
        "select berth.set_limit('type/berth.sql', 7)",
        "select berth.set_limit('type/berth.sql/launcher', 3)",
        "select berth.set_limit('type/berth.sql/launcher/bob', 5)");
    launchTwenty("alice");
    launchTwenty("bob");
    fixture.work();

    SqlTaskFixture.soon().until(() -> running("%") == 7);
    assertThat(running("alice")).isBetween(2L, 3L);
    fixture.database.run("select berth.set_limit('type/berth.sql', 8)");
    awaitRunning("alice", 3);
    awaitRunning("bob", 5);
  }

  /** Its limits would be those of whoever made it, or none. */
  @Test
  void aTaskThatWasThereBeforeIsNotLaunched() {
    String id = "11111111-1111-1111-1111-111111111111";
    fixture.database.run(
        "insert into berth_private.task (id, position, due_at, submitted_at, state, type, queue,"
            + " payload) values ('%s', now(), now(), now(), 'ready', 'berth.sql', 'sql',"
                .formatted(id)
            + " '\"alice\"')");

    assertThatThrownBy(
            () -> fixture.as("alice", "select berth.launch('select 1', id => '" + id + "')"))
        .hasMessageContaining("The id " + id + " is that of another task");
    assertThat(fixture.database.query("select 1 from berth.sql_tasks")).isEmpty();
  }

  private int workers() {
    return Integer.parseInt(fixture.database.one("show max_worker_processes"));
  }

  private void launchTwenty(String launcher) throws SQLException {
    fixture.as(launcher, "select berth.launch('" + WAIT + "') from generate_series(1, 20)");
  }

  private void awaitRunning(String launcher, long count) {
    SqlTaskFixture.soon().until(() -> running(launcher) == count);
  }

  private long running(String launcher) {
    return fixture.database.count(
        "select count(*) from berth.sql_tasks where state = 'running' and launcher like '%s'"
            .formatted(launcher));
  }

  /** Why its youngest task waits. */
  private String explainedOf(String launcher) {
    return explained(
        fixture.database.one(
            "select id from berth.sql_tasks where state = 'pending' and launcher = '%s' order by joined_at desc limit 1"
                .formatted(launcher)));
  }

  private String explained(String id) {
    return String.join(
        "\n", fixture.database.query("select e::text from berth.explain('" + id + "') e"));
  }
}
