package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.limit.Limit;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Forgetting gives way to whoever reads, and nobody has to wait for it meanwhile. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a lock is deaf
class PruneTest {

  @Test
  void aReportKeepsItsPartitionsAndHoldsUpNobody() throws SQLException {
    String url = Servers.NEWEST.database();
    try (HikariDataSource pool = Servers.pool(url, 6);
        PostgresStore store = PostgresStore.of(pool);
        Connection report = DriverManager.getConnection(url)) {
      store.sweep();
      List<String> partitions = partitions(url);
      assertThat(partitions).isNotEmpty();
      finishOne(store);
      report.setAutoCommit(false);
      try (Statement statement = report.createStatement()) {
        statement.execute("select count(*) from berth_private.task_history");
      }
      Sql.run(url, "update berth_private.clock set shift = interval '100 days'");

      assertThat(Sql.query(url, "select dropped from berth.prune()")).containsExactly("0");
      finishOne(store);
      assertThat(partitions(url)).containsAll(partitions);
      report.commit();

      assertThat(Sql.query(url, "select dropped from berth.prune()"))
          .containsExactly("" + partitions.size());
      assertThat(partitions(url)).doesNotContainAnyElementsOf(partitions);
    }
  }

  /** A view of somebody else's needs one of them. */
  @Test
  void whatCannotBeDroppedKeepsNothingElse() {
    String url = Servers.NEWEST.database();
    try (HikariDataSource pool = Servers.pool(url, 6);
        PostgresStore store = PostgresStore.of(pool)) {
      store.sweep();
      List<String> partitions = partitions(url);
      assertThat(partitions).hasSizeGreaterThan(1);
      String first = partitions.getFirst();
      finishOne(store);
      Sql.run(
          url,
          "create view public.report as select * from berth_private." + first,
          "insert into berth_private.limit_change (key, at, slots) values ('limit/gone', now(),"
              + " null)",
          "update berth_private.clock set shift = interval '100 days'");

      String fault =
          "the history in %1$s could not be dropped: cannot drop table berth_private.%1$s because other objects depend on it"
              .formatted(first);
      assertThat(
              Sql.query(url, "select dropped || array_to_string(faults, '; ') from berth.prune()"))
          .containsExactly(partitions.size() - 1 + fault);
      assertThat(partitions(url)).containsExactly(first);
      assertThat(Sql.query(url, "select key from berth_private.limit_change")).isEmpty();
    }
  }

  /** What does not work for one is no reason that schedules do not run. */
  @Test
  void aPruneThatFailsKeepsNoScheduleFromRunning() {
    String url = Servers.NEWEST.database();
    try (HikariDataSource pool = Servers.pool(url, 6);
        PostgresStore store = PostgresStore.of(pool)) {
      Sql.run(
          url,
          "select berth.set_schedule('tick', 'nap', every => '1 s')",
          "create or replace function berth.prune(out dropped integer, out faults text[]) language"
              + " plpgsql as $$ begin raise 'broken'; end $$");
      assertThat(store.sweep().schedules()).hasSize(1);
    }
  }

  @Test
  void theChangesOfAForgottenLimitGoWithTheHistory() {
    try (PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST)) {
      endOneUnderALimit(fixture);
      daysPass(fixture, 9);
      assertThat(fixture.store().reader().limits()).isEmpty();
      assertThat(fixture.store().reader().audit(AuditFilter.ALL))
          .extracting(LimitAudit::slots)
          .containsExactly(2);

      fixture.advance(Duration.ofDays(60));
      fixture.store().sweep();
      assertThat(fixture.database().query("select key from berth_private.limit_change")).isEmpty();
    }
  }

  @Test
  void aLimitThatSomebodyHasLockedIsPassedBy() throws SQLException {
    try (PostgresFixture fixture = PostgresFixture.on(Servers.NEWEST);
        Connection psql = DriverManager.getConnection(fixture.database().url())) {
      endOneUnderALimit(fixture);
      psql.setAutoCommit(false);
      int days = 9;
      for (String table : List.of("slot_group", "task_limit")) {
        try (Statement statement = psql.createStatement()) {
          statement.execute("select from berth_private." + table + " for update");
          daysPass(fixture, days);
          assertThat(fixture.store().reader().limits()).as(table).hasSize(1);
          psql.rollback();
        }
        days = 1;
      }
      daysPass(fixture, 1);
      assertThat(fixture.store().reader().limits()).isEmpty();
    }
  }

  private static void endOneUnderALimit(PostgresFixture fixture) {
    PostgresStore store = fixture.store();
    store.submit(List.of(Draft.task().under(Limit.of("gpu", 2)).submission()));
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    claimer.end(claimer.claimOne(), new Outcome.Failed("it is kept for longer"));
    claimer.leave();
  }

  private static void daysPass(PostgresFixture fixture, int days) {
    for (int day = 0; day < days; day++) {
      fixture.advance(Duration.ofDays(1));
      fixture.store().sweep();
    }
  }

  private static void finishOne(PostgresStore store) {
    store.submit(List.of(Draft.task().submission()));
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    claimer.end(claimer.claimOne(), new Outcome.Finished(null));
    claimer.leave();
  }

  private static List<String> partitions(String url) {
    return Sql.query(
        url,
        "select relname from pg_class where relname ~ '^task_history_[0-9]{8}$'"
            + " and relkind = 'r' order by 1");
  }
}
