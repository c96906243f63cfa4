package dev.berth.benchmarks;

import dev.berth.Berth;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Whether a transaction that somebody forgot to end slows the queue, while vacuum is held back. */
final class LongTransactionScenario implements Scenario {

  private static final String OPEN = "with an open transaction";
  private static final String NORMAL = "without";

  @Override
  public String name() {
    return "long-transaction";
  }

  @Override
  public String about() {
    return "A drain of no-op tasks while another transaction stays open, beside one without it.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(300, 100_000, 300_000);
    drain(bench, bench.size().of(300, 20_000, 20_000), false); // warm-up
    Rounds rounds =
        new Rounds(bench)
            .variant(NORMAL, () -> drain(bench, tasks, false))
            .variant(OPEN, () -> drain(bench, tasks, true))
            .run(bench.size().of(1, 2, 3));
    report.ratio(
        "long_tx", rounds.ratio(OPEN, NORMAL), Target.atLeast(0.8), "rate with it / without it");
    report.figure(
        "with_per_s",
        "tasks/s",
        rounds.samples(OPEN),
        "%,d tasks, vacuum held back".formatted(tasks));
    report.figure("without_per_s", "tasks/s", rounds.samples(NORMAL), "the same, left alone");
  }

  private static double drain(Bench bench, int tasks, boolean open) throws Exception {
    try (BenchDatabase database = bench.server().database();
        Berth berth = database.berth()) {
      NoOp.submit(berth, tasks);
      database.execute("vacuum analyze berth.task");
      if (!open) {
        return Drain.rate(berth, tasks);
      }
      try (Connection forgotten = database.connect()) {
        leaveOpen(forgotten);
        return Drain.rate(berth, tasks);
      }
    }
  }

  /** With a snapshot and a transaction id, each of which holds vacuum back by itself. */
  private static void leaveOpen(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select txid_current(), count(*) from berth.task");
    }
  }
}
