package dev.berth.benchmarks;

import java.time.Duration;
import java.util.List;

/** How much of a limit short tasks use: a slot idles from the end of one until the next starts. */
final class SlotUseScenario implements Scenario {

  private static final int WORKERS = 4;
  private static final Duration TIME = Duration.ofSeconds(25);
  private static final int SLOTS = 10;

  @Override
  public String name() {
    return "slot-use";
  }

  @Override
  public String about() {
    return "Tasks of 5 and of 50 ms by 4 workers under a limit of 10, beside all slots always"
        + " used.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int seconds = bench.size().of(1, 5, 10);
    try (Fleet five = fleet(bench, 5);
        Fleet fifty = fleet(bench, 50)) {
      bench.say("warming up");
      five.rate(200);
      fifty.rate(20);
      Rounds rounds =
          new Rounds(bench)
              .variant("5 ms", () -> five.rate(tasks(5, seconds)))
              .variant("50 ms", () -> fifty.rate(tasks(50, seconds)))
              .run(bench.size().of(1, 2, 3), bench.size().of(1, 3, 5), TIME);
      tell(report, rounds, 5, 0.8, five);
      tell(report, rounds, 50, 0.95, fifty);
      report.fact("workers", Fleet.describe(WORKERS));
    }
  }

  private static Fleet fleet(Bench bench, int millis) throws Exception {
    return Fleet.start(
        bench,
        WORKERS,
        List.of(NoOp.TYPE.limit(SLOTS)),
        (payload, task) -> Thread.sleep(millis),
        builder -> builder);
  }

  /** As many as all slots could run in this time. */
  private static int tasks(int millis, int seconds) {
    return SLOTS * 1_000 / millis * seconds;
  }

  private static void tell(Report report, Rounds rounds, int millis, double least, Fleet fleet) {
    Samples rate = rounds.samples(millis + " ms");
    String name = "slot_use_%dms".formatted(millis);
    int ideal = tasks(millis, 1);
    report.ratio(
        name,
        new Samples(rate.values().stream().map(value -> value / ideal).toList()),
        Target.atLeast(least),
        "rate / ideal %,d a second".formatted(ideal));
    report.figure(
        name + "_per_s", "tasks/s", rate, "tasks of %d ms, limit %d".formatted(millis, SLOTS));
    report.figure(
        name + "_handler_ms",
        "ms",
        Samples.of(fleet.meanRun().toNanos() / 1e6),
        "what the handler took on average");
  }
}
