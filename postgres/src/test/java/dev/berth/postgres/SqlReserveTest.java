package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.worker.Worker;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** SQL tasks leave connections of the server to others. */
class SqlReserveTest {

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
  void theReserveIsLeftWhateverTheLimitsAllow() throws Exception {
    int reserve = 4;
    try (LocalPostgres server =
        LocalPostgres.start(LocalPostgres.Options.defaults().setting("max_connections", "20"))) {
      String url = server.createDatabase("reserve");
      try (HikariDataSource pool = Servers.pool(url, 6)) {
        pool.setMinimumIdle(6); // what others take must not change while it is measured
        PostgresStore store = PostgresStore.of(pool);
        Sql.run(
            url,
            "create role berth_runner login noinherit",
            "create role alice login",
            "select berth.allow_launch('alice')",
            "create table seen (free integer, at timestamptz default clock_timestamp())",
            "grant insert on seen to alice");
        await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == 6);
        Sql.run(
            url.replace("user=postgres", "user=alice"),
            "select berth.launch('insert into seen select berth.free_connections() from"
                + " pg_sleep(0.02)') from generate_series(1, 60)");
        try (Berth berth = Berth.on(store);
            Worker worker =
                SqlTasks.on(store)
                    .runBy(
                        berth.worker().maxConcurrentTasks(40),
                        RoleConnections.runner(url.replace("user=postgres", "user=berth_runner")),
                        SqlOptions.DEFAULT.reserve(reserve))
                    .start()) {
          await().until(() -> worker.stats().finished() == 60);
        }

        int least = Integer.parseInt(Sql.query(url, "select min(free) from seen").getFirst());
        assertThat(least).isGreaterThanOrEqualTo(reserve);
        assertThat(least).as("it was the reserve that held them up").isLessThan(reserve + 3);
        assertThat(Sql.query(url, "select distinct attempt from berth.tasks")).containsExactly("1");
      }
    }
  }
}
