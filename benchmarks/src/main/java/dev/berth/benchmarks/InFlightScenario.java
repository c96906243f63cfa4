package dev.berth.benchmarks;

import dev.berth.Berth;

/** How many tasks one worker can have in flight in how little memory. */
final class InFlightScenario implements Scenario {

  @Override
  public String name() {
    return "in-flight";
  }

  @Override
  public String about() {
    return "Tasks that sleep, 1,000 and 10,000 of them in flight in one worker process with a"
        + " small heap, beside all of them always in flight.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    inFlight(bench, report, bench.size().of(100, 10_000, 10_000), ms(bench, 200), 1_000, "256m");
    inFlight(bench, report, bench.size().of(100, 20_000, 40_000), ms(bench, 2_000), 10_000, "512m");
  }

  private static int ms(Bench bench, int millis) {
    return bench.size().of(20, millis, millis);
  }

  /** In a JVM of its own: ideal is all of the permits in use all of the time. */
  private static void inFlight(
      Bench bench, Report report, int tasks, int millis, int inFlight, String heap)
      throws Exception {
    String name = "in_flight_" + inFlight;
    double ideal = Math.ceil((double) tasks / inFlight) * millis / 1_000;
    Run run = new Run(bench, tasks, millis, inFlight, heap);
    Samples seconds =
        new Rounds(bench).variant(name, run::seconds).run(bench.size().of(1, 1, 3)).samples(name);
    report.ratio(
        name,
        seconds.map(measured -> ideal / measured),
        Target.atLeast(1 / 1.5),
        "ideal %s s / measured, %,d tasks of %,d ms, -Xmx%s"
            .formatted(Text.number(ideal), tasks, millis, heap));
    report.figure(name + "_s", "s", seconds, "from the worker's start");
    report.figure(
        name + "_peak", "tasks", Samples.of(run.peak), "handlers that ran at once, the most");
    report.figure(name + "_mb", "MB", Samples.of(run.residentMb), "resident, with heap and JVM");
  }

  private static final class Run {

    private final Bench bench;
    private final int tasks;
    private final int millis;
    private final int inFlight;
    private final String heap;
    private double peak;
    private double residentMb;

    Run(Bench bench, int tasks, int millis, int inFlight, String heap) {
      this.bench = bench;
      this.tasks = tasks;
      this.millis = millis;
      this.inFlight = inFlight;
      this.heap = heap;
    }

    double seconds() throws Exception {
      try (BenchDatabase database = bench.server().database()) {
        try (Berth berth = database.berth()) {
          NoOp.submit(berth, tasks);
        }
        ChildJvm.Answer said =
            ChildJvm.run(bench.size(), InFlightMain.class, heap, database, tasks, millis, inFlight);
        peak = Math.max(peak, said.value("peak"));
        residentMb = Math.max(residentMb, said.value("resident_mb"));
        return said.value("seconds");
      }
    }
  }
}
