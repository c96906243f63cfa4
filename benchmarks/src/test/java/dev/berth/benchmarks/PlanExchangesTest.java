package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That the check of plans can fail, and that it looks at rows as real submits leave them. */
class PlanExchangesTest {

  private static Server server;

  @BeforeAll
  static void start() {
    server = Server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void anIndexThatIsMissingIsAFault() throws Exception {
    try (BenchDatabase database = server.database()) {
      PlanFilling.BASELINE.fill(database, 5_000);
      database.execute("drop index berth.task_claim");

      List<PlanSheet> sheets = new PlanExchanges(database, PlanFilling.BASELINE, 5_000, 1).all();

      assertThat(sheets)
          .allSatisfy(sheet -> {
            assertThat(sheet.claimed()).isEqualTo(Claimer.BATCH);
            assertThat(sheet.faults())
                .anySatisfy(fault -> assertThat(fault).contains("rows by Seq Scan on task"));
          });
    }
  }

  @Test
  void copiesAreRowsAsSubmitsLeaveThem() throws Exception {
    try (BenchDatabase database = server.database();
        Berth berth = database.berth()) {
      var type = NoOp.TYPE.limit(3);
      NoOp.submit(berth, type, 1);
      Copies.of(database, type.name(), 2);
      NoOp.submit(berth, type, 1);

      assertThat(shapes(database)).isEqualTo(1);
      assertThat(database.number("select count(distinct (id, position)) from berth.task"))
          .isEqualTo(4);
      assertThat(database.number("select count(*) from berth.task where position < submitted_at"))
          .isZero();
    }
  }

  /** How many kinds of rows there are, but for what differs between any two tasks. */
  private static long shapes(BenchDatabase database) throws SQLException {
    return database.number(
        "select count(distinct to_jsonb(t) - '{id,position,due_at,submitted_at}'::text[])"
            + " from berth.task t");
  }
}
