package dev.berth.benchmarks;

import dev.berth.benchmarks.plot.Curve;
import java.time.Duration;
import java.util.List;

/** How much of a limit short tasks use: a slot idles from the end of one until the next starts. */
final class SlotUseScenario implements Scenario {

  private static final int WORKERS = 4;
  private static final int SLOTS = 10;

  /** For all rounds of tasks of one length under one limit. */
  private static final Duration TIME = Duration.ofSeconds(12);

  @Override
  public String name() {
    return "slot-use";
  }

  @Override
  public String about() {
    return "Tasks that take 5 ms or more by 4 workers under a limit, beside all of its slots always"
        + " in use.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    boolean grid = bench.size() == Size.FULL;
    List<Integer> limits = grid ? List.of(1, SLOTS, 100) : List.of(SLOTS);
    List<Integer> lengths = grid ? List.of(5, 50, 500) : List.of(5, 50);
    Curve curves = Curve.of("Part of the slots in use", "slots of the limit", "rate / ideal");
    for (int millis : lengths) {
      for (int slots : limits) {
        Samples use = new Cell(bench, millis, slots).measure(report);
        curves.point("tasks of %d ms".formatted(millis), "" + slots, use.point());
      }
    }
    if (grid) {
      report.curve(curves);
    }
    report.fact("workers", Fleet.describe(workers(bench)));
  }

  private static int workers(Bench bench) {
    return bench.size().of(1, WORKERS, WORKERS);
  }

  private record Cell(Bench bench, int millis, int slots) {

    Samples measure(Report report) throws Exception {
      try (Fleet fleet =
          Fleet.start(
              bench,
              workers(bench),
              List.of(NoOp.TYPE.limit(slots)),
              (payload, task) -> Thread.sleep(millis),
              builder -> builder)) {
        bench.warmUp(() -> fleet.rate(tasks(200)));
        String variant = "%d ms, limit %d".formatted(millis, slots);
        Samples rate =
            new Rounds(bench)
                .variant(variant, () -> fleet.rate(tasks(bench.size().of(100, 5_000, 10_000))))
                .run(bench.size().of(1, 2, 3), bench.size().of(1, 3, 5), TIME)
                .samples(variant);
        return tell(report, rate, fleet.meanRun());
      }
    }

    private double ideal() {
      return slots * 1_000.0 / millis;
    }

    /** As many as all slots could run in this time. */
    private int tasks(int inMillis) {
      return Math.max(1, (int) (ideal() * inMillis / 1_000));
    }

    private Samples tell(Report report, Samples rate, Duration handler) {
      String name = "slot_use_%dms".formatted(millis) + (slots == SLOTS ? "" : "_limit_" + slots);
      Samples use = rate.map(value -> value / ideal());
      report.ratio(
          name,
          use,
          slots == SLOTS ? Target.atLeast(millis == 5 ? 0.8 : 0.95) : null,
          "rate of tasks of %d ms under a limit of %d / ideal %s a second"
              .formatted(millis, slots, Text.number(ideal())));
      report.figure(
          name + "_per_s", "tasks/s", rate, "tasks of %d ms, limit %d".formatted(millis, slots));
      report.figure(
          name + "_handler_ms",
          "ms",
          Samples.of(handler.toNanos() / 1e6),
          "what the handler took on average");
      return use;
    }
  }
}
