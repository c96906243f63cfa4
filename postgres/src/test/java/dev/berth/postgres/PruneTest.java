package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.task.Outcome;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
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
        statement.execute("select count(*) from berth.task_history");
      }
      Sql.run(url, "update berth.clock set shift = interval '100 days'");

      assertThat(Sql.query(url, "select berth.prune()")).containsExactly("0");
      finishOne(store);
      assertThat(partitions(url)).containsAll(partitions);
      report.commit();

      assertThat(Sql.query(url, "select berth.prune()")).containsExactly("" + partitions.size());
      assertThat(partitions(url)).doesNotContainAnyElementsOf(partitions);
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
