package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.task.Retention;
import dev.berth.task.TaskType;
import java.time.Duration;

/** How many tasks one worker runs, with history and without, beside what raw SQL could do. */
final class DrainScenario implements Scenario {

  private static final String BERTH = "berth";
  private static final String NO_HISTORY = "berth, no history";
  private static final String RAW = "raw SQL";
  private static final String RAW_MANY = "raw SQL, 4 connections";
  private static final int MANY = 4;
  private static final Duration TIME = Duration.ofSeconds(25);

  /** No smaller than what a worker claims at a time if nothing is said. */
  private static final int LEAST_BATCH = 50;

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public String about() {
    return "No-op tasks through one worker with default settings, with history and without,"
        + " beside raw SQL.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(300, 30_000, 200_000);
    Run run = new Run(bench, tasks);
    bench.warmUp(() -> run.batch = new Run(bench, tasks / 5).warmUp());
    Rounds rounds =
        new Rounds(bench)
            .variant(BERTH, () -> run.berth(NoOp.TYPE))
            .variant(NO_HISTORY, () -> run.berth(NoOp.TYPE.keep(Retention.NONE)))
            .variant(RAW, () -> run.raw(1))
            .variant(RAW_MANY, () -> run.raw(MANY))
            .run(bench.size().of(1, 2, 5), bench.size().of(1, 4, 5), TIME);
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
        "Berth's rate, history kept / raw SQL's with 1 connection, as the worker has");
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
    report.figure(
        "batch",
        "tasks",
        Samples.of(run.batch),
        "in one exchange of Berth's on average; raw SQL claims as many at a time");
  }

  private static final class Run {

    private final Bench bench;
    private final int tasks;
    private int batch = LEAST_BATCH;

    Run(Bench bench, int tasks) {
      this.bench = bench;
      this.tasks = tasks;
    }

    /** The batch that it found. */
    int warmUp() throws Exception {
      berth(NoOp.TYPE);
      berth(NoOp.TYPE.keep(Retention.NONE));
      raw(MANY);
      return batch;
    }

    double berth(TaskType<NoOp, Void> type) throws Exception {
      try (BenchDatabase database = bench.server().database();
          Berth berth = database.berth()) {
        NoOp.submit(berth, type, tasks);
        database.execute("vacuum analyze berth.task");
        Drain.Drained drained = Drain.of(berth, type, tasks);
        batch = Math.max(LEAST_BATCH, (int) Math.round(drained.batch()));
        return drained.perSecond();
      }
    }

    double raw(int connections) throws Exception {
      try (BenchDatabase database = bench.server().database()) {
        return RawSql.rate(database, tasks, batch, connections);
      }
    }
  }
}
