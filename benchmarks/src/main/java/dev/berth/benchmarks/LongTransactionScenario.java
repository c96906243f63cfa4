package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Whether a transaction that somebody forgot to end slows the queue, while vacuum is held back. */
final class LongTransactionScenario implements Scenario {

  /** For a second round at quick size if all are fast, and none if one is slow. */
  private static final Duration TIME = Duration.ofSeconds(20);

  private static final Duration WARM_UP = Duration.ofSeconds(6);
  private static final int SLOTS = 100;
  private static final TaskType<NoOp, Void> OPEN_LANE = NoOp.TYPE;
  private static final TaskType<NoOp, Void> LIMITED = NoOp.TYPE.limit(SLOTS);

  @Override
  public String name() {
    return "long-transaction";
  }

  @Override
  public String about() {
    return "A drain of no-op tasks while another transaction stays open, beside one without it;"
        + " the same where all tasks are under a limit; and the same while limited tasks are"
        + " submitted at a steady pace.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    // What dead entries cost does not show before there are very many.
    int tasks = bench.size().of(100, 150_000, 1_000_000);
    bench.warmUp(
        WARM_UP,
        () -> {
          drain(bench, OPEN_LANE, 10_000, false);
          drain(bench, LIMITED, 10_000, false);
        });
    Rounds rounds =
        new Rounds(bench)
            .variant("without", () -> drain(bench, OPEN_LANE, tasks, false))
            .variant("with", () -> drain(bench, OPEN_LANE, tasks, true))
            .variant("limited, without", () -> drain(bench, LIMITED, tasks, false))
            .variant("limited, with", () -> drain(bench, LIMITED, tasks, true))
            .run(bench.size().of(1, 1, 3), bench.size().of(1, 2, 3), TIME);
    tell(
        report,
        rounds,
        "%,d tasks, or what ended in %d s".formatted(tasks, longest(bench).toSeconds()));
    SteadyLoads.measure(bench, report);
  }

  private static void tell(Report report, Rounds rounds, String what) {
    report.ratio(
        "long_tx",
        rounds.ratio("with", "without"),
        Target.atLeast(0.8),
        "rate with the open transaction / without it");
    report.ratio(
        "long_tx_limited",
        rounds.ratio("limited, with", "limited, without"),
        Target.atLeast(0.8),
        "rate with the open transaction / without it, all tasks under a limit of %d"
            .formatted(SLOTS));
    report.figure("with_per_s", "tasks/s", rounds.samples("with"), what + ", vacuum held back");
    report.figure("without_per_s", "tasks/s", rounds.samples("without"), what + ", left alone");
    report.figure(
        "limited_with_per_s",
        "tasks/s",
        rounds.samples("limited, with"),
        what + ", under a limit, vacuum held back");
    report.figure(
        "limited_without_per_s",
        "tasks/s",
        rounds.samples("limited, without"),
        what + ", under a limit, left alone");
  }

  /** A drain that takes longer is cut off there. */
  private static Duration longest(Bench bench) {
    return Duration.ofSeconds(bench.size().of(60, 15, 60));
  }

  private static double drain(Bench bench, TaskType<NoOp, Void> type, int tasks, boolean open)
      throws Exception {
    try (BenchDatabase database = bench.server().database();
        Berth berth = database.berth()) {
      Copies.fill(database, berth, type, tasks);
      if (!open) {
        return rate(bench, berth, type, tasks);
      }
      try (Connection forgotten = database.connect()) {
        leaveOpen(forgotten);
        return rate(bench, berth, type, tasks);
      }
    }
  }

  private static double rate(Bench bench, Berth berth, TaskType<NoOp, Void> type, int tasks)
      throws InterruptedException {
    Drain.Drained drained = Drain.within(longest(bench), berth, type, tasks);
    if (drained.tasks() < tasks) {
      bench.say("cut off: %,d of %,d tasks".formatted(drained.tasks(), tasks));
    }
    return drained.perSecond();
  }

  /** With a snapshot and a transaction id, each of which holds vacuum back by itself. */
  static void leaveOpen(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select txid_current(), count(*) from berth_private.task");
    }
  }
}
