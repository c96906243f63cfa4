package dev.berth.benchmarks;

import dev.berth.Berth;

/** How many tasks one worker runs, and how many it can have in flight in how little memory. */
final class DrainScenario implements Scenario {

  private static final String BERTH = "berth";
  private static final String RAW = "raw SQL";
  private static final String RAW_MANY = "raw SQL, 4 connections";
  private static final int BATCH = 50;
  private static final int MANY = 4;

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public String about() {
    return "No-op tasks through one worker with default settings, history kept, beside raw SQL.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(300, 40_000, 200_000);
    Rounds rounds =
        new Rounds(bench)
            .variant(BERTH, () -> berth(bench, tasks))
            .variant(RAW, () -> raw(bench, tasks, 1))
            .variant(RAW_MANY, () -> raw(bench, tasks, MANY))
            .warmUp()
            .run(bench.size().of(1, 3, 5));
    report.ratio(
        "vs_raw_sql",
        rounds.ratio(BERTH, RAW_MANY),
        Target.atLeast(0.5),
        "Berth's rate / raw SQL's with 4 connections");
    report.ratio(
        "vs_raw_sql_1",
        rounds.ratio(BERTH, RAW),
        null,
        "the same with 1 connection, as the worker has");
    report.figure(
        "drain_per_s", "tasks/s", rounds.samples(BERTH), "1 worker, " + tasks + " no-op tasks");
    report.figure(
        "raw_sql_per_s",
        "tasks/s",
        rounds.samples(RAW_MANY),
        "claim, delete, in batches of 50, 4 connections");
    report.figure("raw_sql_1_per_s", "tasks/s", rounds.samples(RAW), "with 1 connection");
    inFlight(bench, report, bench.size().of(200, 10_000, 10_000), 200, 1_000, "256m");
    inFlight(bench, report, bench.size().of(300, 20_000, 40_000), 2_000, 10_000, "512m");
  }

  private static double berth(Bench bench, int tasks) throws Exception {
    try (BenchDatabase database = bench.server().database();
        Berth berth = database.berth()) {
      NoOp.submit(berth, tasks);
      database.execute("vacuum analyze berth.task");
      return Drain.rate(berth, tasks);
    }
  }

  private static double raw(Bench bench, int tasks, int connections) throws Exception {
    try (BenchDatabase database = bench.server().database()) {
      return RawSql.rate(database, tasks, BATCH, connections);
    }
  }

  /** Tasks that sleep, in a JVM of its own: ideal is all of the permits in use all of the time. */
  private static void inFlight(
      Bench bench, Report report, int tasks, int millis, int inFlight, String heap)
      throws Exception {
    try (BenchDatabase database = bench.server().database()) {
      try (Berth berth = database.berth()) {
        NoOp.submit(berth, tasks);
      }
      ChildJvm.Answer said =
          ChildJvm.run(InFlightMain.class, heap, database.url(), tasks, millis, inFlight);
      double ideal = Math.ceil((double) tasks / inFlight) * millis / 1_000;
      String name = "in_flight_" + inFlight;
      bench.say("%s: %s s".formatted(name, Text.number(said.value("seconds"))));
      report.ratio(
          name,
          Samples.of(ideal / said.value("seconds")),
          Target.atLeast(1 / 1.5),
          "ideal %s s / measured, %,d tasks of %,d ms, -Xmx%s"
              .formatted(Text.number(ideal), tasks, millis, heap));
      report.figure(name + "_s", "s", Samples.of(said.value("seconds")), "from the worker's start");
      report.figure(
          name + "_peak", "tasks", Samples.of(said.value("peak")), "handlers running at once");
      report.figure(
          name + "_mb", "MB", Samples.of(said.value("resident_mb")), "resident, with heap and JVM");
    }
  }
}
