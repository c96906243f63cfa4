package dev.berth.benchmarks;

import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.List;

/** Many workers with large batches under one large limit, which all of them want slots of. */
final class OneLimitScenario implements Scenario {

  private static final int WORKERS = 8;
  private static final int SLOTS = 500;
  private static final int BATCH = 500;
  private static final Duration TIME = Duration.ofSeconds(27);
  private static final Duration WARM_UP = Duration.ofSeconds(14);
  private static final String WITH = "one limit";
  private static final String WITHOUT = "without";

  @Override
  public String name() {
    return "concurrency-high";
  }

  @Override
  public String about() {
    return "No-op tasks by 8 workers, all under one limit of 500, beside the same without it.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(1_000, 20_000, 100_000);
    try (Fleet without = fleet(bench, NoOp.TYPE);
        Fleet with = fleet(bench, NoOp.TYPE.limit(SLOTS))) {
      bench.warmUp(
          WARM_UP,
          () -> {
            without.rate(tasks / 4);
            with.rate(tasks / 4);
          });
      Rounds rounds =
          new Rounds(bench)
              .variant(WITHOUT, () -> without.rate(tasks))
              .variant(WITH, () -> with.rate(tasks))
              .run(bench.size().of(1, 3, 3), bench.size().of(1, 15, 9), TIME);
      report.ratio(
          "one_limit_500",
          rounds.ratio(WITH, WITHOUT),
          Target.atLeast(0.85),
          "rate under one limit of %d / without".formatted(SLOTS));
      report.figure(
          "one_limit_500_per_s",
          "tasks/s",
          rounds.samples(WITH),
          "%,d no-op tasks, claimed by up to %d".formatted(tasks, BATCH));
      report.figure("baseline_per_s", "tasks/s", rounds.samples(WITHOUT), "the same, no limit");
      report.fact("workers", Fleet.describe(workers(bench)));
    }
  }

  private static int workers(Bench bench) {
    return bench.size().of(1, WORKERS, WORKERS);
  }

  private static Fleet fleet(Bench bench, TaskType<NoOp, Void> type) throws Exception {
    return Fleet.start(
        bench,
        workers(bench),
        List.of(type),
        (payload, task) -> {},
        builder -> builder.claimBatchSize(BATCH));
  }
}
