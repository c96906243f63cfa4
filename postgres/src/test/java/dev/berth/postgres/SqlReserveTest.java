package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.testkit.Claimer;
import dev.berth.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** SQL tasks leave connections of the server to others. */
class SqlReserveTest {

  private static final int POOL = 6;

  @Test
  void tasksWaitWithoutSpendingAnAttemptWhileTooFewAreFree() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST)) {
      Worker full =
          fixture.work(
              RoleConnections.runner(fixture.url("berth_runner")),
              SqlOptions.DEFAULT.reserve(10_000), // more than the server has
              worker -> worker);
      String id = fixture.launch("alice", "select 1");
      await()
          .until(() ->
              fixture.database.count(
                      "select count(*) from berth.attempts where outcome = 'released'")
                  > 0);
      assertThat(fixture.see(id, "state || ' ' || retry_count")).isEqualTo("pending 0");
      full.stop();

      fixture.work();
      fixture.advance(Duration.ofSeconds(10));
      fixture.awaitState(id, "finished");
      assertThat(fixture.database.one("select attempt from berth.tasks where id = '" + id + "'"))
          .isEqualTo("1");
    }
  }

  @Test
  void oneWorkerAtATimeConnectsAndNoneKeepsTheOthersOutForEver() throws SQLException {
    try (SqlTaskFixture fixture = new SqlTaskFixture(Servers.NEWEST);
        Connection first = DriverManager.getConnection(fixture.database.url());
        Connection second = DriverManager.getConnection(fixture.database.url())) {
      String ask =
          "select free, current_setting('idle_in_transaction_session_timeout') as longest from"
              + " berth_private.task t cross join lateral berth.prepare_sql(t.id, t.token,"
              + " array(select proof from berth_private.session))";
      fixture.launch("alice", "select 1");
      Claimer.open(fixture.store, "worker", "berth.sql").claim(1, "sql");
      first.setAutoCommit(false);
      try (ResultSet row = first.createStatement().executeQuery(ask)) {
        row.next();
        assertThat(row.getInt("free")).isPositive();
        assertThat(row.getString("longest")).as("a frozen worker loses the lock").isEqualTo("15s");
      }
      second.createStatement().execute("set lock_timeout = '50ms'");
      assertThatThrownBy(() -> second.createStatement().executeQuery(ask))
          .hasMessageContaining("lock timeout");

      first.rollback();
      assertThat(second.createStatement().executeQuery(ask).next()).isTrue();
    }
  }

  @Test
  void theReserveIsLeftWhateverTheLimitsAllow() throws Exception {
    int reserve = 4;
    try (LocalPostgres server =
        LocalPostgres.start(LocalPostgres.Options.defaults().setting("max_connections", "20"))) {
      String url = server.createDatabase("reserve");
      server.createRole("berth_runner", "noinherit");
      server.createRole("alice");
      try (HikariDataSource pool = full(url);
          Connection own = DriverManager.getConnection(url);
          Statement statement = own.createStatement()) {
        PostgresStore store = PostgresStore.of(pool);
        for (String sql :
            List.of(
                "select berth.allow_launch('alice')",
                "select berth.set_limit('type/berth.sql', 20)",
                "select berth.set_limit('type/berth.sql/launcher', 20)",
                "create table seen (free integer)",
                "grant insert on seen to alice",
                "grant usage on schema berth_private to alice",
                "grant execute on function berth_private.free_connections() to alice",
                "set role alice",
                "select berth.launch('insert into seen select berth_private.free_connections();"
                    + " select pg_advisory_xact_lock_shared(1)') from generate_series(1, 20)",
                "reset role",
                "select pg_advisory_lock(1)")) {
          statement.execute(sql);
        }
        await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == POOL);
        try (Berth berth = Berth.on(store);
            Worker worker =
                SqlTasks.on(store)
                    .runBy(
                        berth.worker().maxConcurrentTasks(40),
                        RoleConnections.runner(Sql.as("berth_runner", url)),
                        SqlOptions.DEFAULT.reserve(reserve))
                    .start()) {
          await().until(() -> worker.stats().released() > 0); // some run, the others may not
          statement.execute("select pg_advisory_unlock(1)");
          await().until(() -> worker.stats().finished() == 20);
        }

        assertThat(Sql.query(url, "select min(free) from seen"))
            .containsExactly(String.valueOf(reserve));
        assertThat(Sql.query(url, "select distinct attempt from berth.tasks")).containsExactly("1");
      }
    }
  }

  /** All its connections are open from the start: what others take does not change meanwhile. */
  private static HikariDataSource full(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL);
    config.setMinimumIdle(POOL);
    return new HikariDataSource(config);
  }
}
