package dev.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.Berth;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
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
      database.execute("drop index berth_private.task_claim");

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
  void fillingsAreRowsAsSubmitsLeaveThem() throws Exception {
    try (BenchDatabase database = server.database();
        Berth berth = database.berth()) {
      PlanFilling.ONE_LIMITED.fill(database, 1_000);
      assertThat(database.number("select count(*) from berth_private.task where lane is not null"))
          .isEqualTo(500);
      PlanFilling.ONE_LIMITED.types().forEach(type -> berth.submitAll(type, Stream.of(NoOp.of(1))));

      assertThat(shapes(database)).isEqualTo(PlanFilling.TYPES);
      assertThat(database.number("select count(*) - count(distinct id) from berth_private.task"))
          .isZero();
      assertThat(
              database.number(
                  "select count(*) from berth_private.task where position < submitted_at"))
          .isZero();
    }
  }

  /** How many kinds of rows there are, but for what differs between any two tasks. */
  private static long shapes(BenchDatabase database) throws SQLException {
    return database.number(
        "select count(distinct to_jsonb(t) - '{id,position,due_at,submitted_at}'::text[])"
            + " from berth_private.task t");
  }
}
