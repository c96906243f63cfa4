package dev.berth.benchmarks;

import dev.berth.task.Retention;
import java.time.Duration;

/** How many tasks one worker runs, with history and without, beside what raw SQL could do. */
final class DrainScenario implements Scenario {

  private static final String BERTH = "berth";
  private static final String NO_HISTORY = "berth, no history";
  private static final String RAW = "raw SQL";
  private static final String RAW_MANY = "raw SQL, 4 connections";
  private static final int MANY = 4;
  private static final Duration TIME = Duration.ofSeconds(26);
  private static final Duration WARM_UP = Duration.ofSeconds(14);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public String about() {
    return "No-op tasks through one worker, with history and without, beside raw SQL with the same"
        + " batch.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(300, 50_000, 200_000);
    Rounds rounds =
        new Rounds(bench)
            .variant(BERTH, () -> berth(bench, tasks, Retention.DEFAULT))
            .variant(NO_HISTORY, () -> berth(bench, tasks, Retention.NONE))
            .variant(RAW, () -> raw(bench, tasks, 1))
            .variant(RAW_MANY, () -> raw(bench, tasks, MANY));
    bench.warmUp(WARM_UP, () -> berth(bench, tasks, Retention.DEFAULT));
    rounds.run(bench.size().of(1, 2, 5), bench.size().of(1, 8, 5), TIME);
    report.fact("worker", BerthPeer.fast());
    report.ratio(
        "vs_raw_sql",
        rounds.ratio(BERTH, RAW_MANY),
        Target.atLeast(0.5),
        "Berth's rate / raw SQL's with 4 connections and the same batch");
    report.ratio(
        "vs_raw_sql_no_history",
        rounds.ratio(NO_HISTORY, RAW_MANY),
        Target.atLeast(0.6),
        "Berth's rate where ended tasks are not kept / raw SQL's with 4 connections");
    report.ratio(
        "vs_raw_sql_1",
        rounds.ratio(BERTH, RAW),
        null,
        "Berth's rate, history kept / raw SQL's with 1 connection");
    report.figure(
        "drain_per_s",
        "tasks/s",
        rounds.samples(BERTH),
        "1 worker, %,d no-op tasks".formatted(tasks));
    report.figure(
        "drain_no_history_per_s", "tasks/s", rounds.samples(NO_HISTORY), "no history kept");
    report.figure(
        "raw_sql_per_s",
        "tasks/s",
        rounds.samples(RAW_MANY),
        "claim and delete, each a transaction, 4 connections");
    report.figure("raw_sql_1_per_s", "tasks/s", rounds.samples(RAW), "with 1 connection");
  }

  private static double berth(Bench bench, int tasks, Retention retention) throws Exception {
    return PeerDrain.rate(bench, new BerthPeer(BERTH, retention), tasks, LONGEST);
  }

  private static double raw(Bench bench, int tasks, int connections) throws Exception {
    try (BenchDatabase database = bench.server().database()) {
      return RawSql.rate(database, tasks, BerthPeer.BATCH, connections);
    }
  }
}
