package dev.berth.benchmarks;

import dev.berth.benchmarks.plot.Curve;
import dev.berth.limit.Limit;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** How much of a limit short tasks use: a slot idles from the end of one until the next starts. */
final class SlotUseScenario implements Scenario {

  private static final int WORKERS = 4;
  private static final int SLOTS = 10;
  private static final int POOL_TYPES = 5;
  private static final int POOL_MILLIS = 5;

  /** For all rounds of tasks of one length under one limit. */
  private static final Duration TIME = Duration.ofSeconds(12);

  @Override
  public String name() {
    return "slot-use";
  }

  @Override
  public String about() {
    return "Tasks that take 5 ms or more by 4 workers under a limit, of one type or of five that"
        + " share it, beside all of its slots always in use.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    boolean grid = bench.size() == Size.FULL;
    List<Integer> limits = grid ? List.of(1, SLOTS, 100) : List.of(SLOTS);
    List<Integer> lengths = grid ? List.of(5, 50, 500) : List.of(5, 50);
    Curve curves = Curve.of("Part of the slots in use", "slots of the limit", "rate / ideal");
    for (int millis : lengths) {
      for (int slots : limits) {
        Samples use = Cell.oneType(bench, millis, slots).measure(report);
        curves.point("tasks of %d ms".formatted(millis), "" + slots, use.point());
      }
    }
    Cell.pool(bench).measure(report);
    if (grid) {
      report.curve(curves);
    }
    report.fact("workers", Fleet.describe(workers(bench)));
  }

  private static int workers(Bench bench) {
    return bench.size().of(1, WORKERS, WORKERS);
  }

  /** Tasks of one length, of types that are all under one limit. */
  private record Cell(
      Bench bench, String name, int millis, int slots, List<TaskType<NoOp, Void>> types) {

    static Cell oneType(Bench bench, int millis, int slots) {
      String name = "slot_use_%dms".formatted(millis) + (slots == SLOTS ? "" : "_limit_" + slots);
      return new Cell(bench, name, millis, slots, List.of(NoOp.TYPE.limit(slots)));
    }

    /** A slot that a task of one type leaves is there for a task of another. */
    static Cell pool(Bench bench) {
      Limit pool = Limit.of("pool", SLOTS);
      List<TaskType<NoOp, Void>> types =
          IntStream.range(0, POOL_TYPES)
              .mapToObj(i -> TaskType.of("no_op_" + i, NoOp.class).under(pool))
              .toList();
      return new Cell(
          bench, "slot_use_pool_%dms".formatted(POOL_MILLIS), POOL_MILLIS, SLOTS, types);
    }

    Samples measure(Report report) throws Exception {
      try (Fleet fleet =
          Fleet.start(
              bench,
              workers(bench),
              types,
              (payload, task) -> Thread.sleep(millis),
              builder -> builder)) {
        bench.warmUp(() -> fleet.rate(tasks(200)));
        Samples rate =
            new Rounds(bench)
                .variant(what(), () -> fleet.rate(tasks(bench.size().of(100, 5_000, 10_000))))
                .run(bench.size().of(1, 2, 3), bench.size().of(1, 3, 5), TIME)
                .samples(what());
        return tell(report, rate, fleet.meanRun());
      }
    }

    private String what() {
      String tasks = "tasks of %d ms".formatted(millis);
      return types.size() == 1
          ? tasks + ", limit %d".formatted(slots)
          : tasks + " of %d types that share a limit of %d".formatted(types.size(), slots);
    }

    private double ideal() {
      return slots * 1_000.0 / millis;
    }

    /** As many as all slots could run in this time. */
    private int tasks(int inMillis) {
      return Math.max(1, (int) (ideal() * inMillis / 1_000));
    }

    private Samples tell(Report report, Samples rate, Duration handler) {
      Samples use = rate.map(value -> value / ideal());
      report.ratio(
          name,
          use,
          slots == SLOTS ? Target.atLeast(0.95) : null,
          "rate of %s / ideal %s a second".formatted(what(), Text.number(ideal())));
      report.figure(name + "_per_s", "tasks/s", rate, what());
      report.figure(
          name + "_handler_ms",
          "ms",
          Samples.of(handler.toNanos() / 1e6),
          "what the handler took on average");
      report.figure(
          name + "_busy",
          "of the time",
          rate.map(value -> value * handler.toNanos() / 1e9 / slots),
          "the slots had a handler that ran, which takes longer than it should");
      return use;
    }
  }
}
