package dev.berth.benchmarks;

import java.time.Duration;
import java.util.List;

/** Many keys of limit 1, as one import at a time for each customer. */
final class KeysScenario implements Scenario {

  private static final int WORKERS = 4;
  private static final Duration TIME = Duration.ofSeconds(25);
  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final String WITH = "keys";
  private static final String WITHOUT = "without";

  @Override
  public String name() {
    return "keys";
  }

  @Override
  public String about() {
    return "No-op tasks of 100,000 keys, each limited at 1, beside the same without limits.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int keys = bench.size().of(300, 100_000, 100_000);
    int workers = bench.size().of(1, WORKERS, WORKERS);
    var keyed = NoOp.TYPE.limitPer("key", NoOp::number, 1);
    try (Fleet without = Fleet.start(bench, workers, List.of(NoOp.TYPE));
        Fleet with = Fleet.start(bench, workers, List.of(keyed))) {
      bench.warmUp(
          WARM_UP,
          () -> {
            without.rate(keys / 10);
            with.rate(keys / 10);
          });
      Rounds rounds =
          new Rounds(bench)
              .variant(WITHOUT, () -> without.rate(keys))
              .variant(WITH, () -> with.rate(keys))
              .run(bench.size().of(1, 2, 3), bench.size().of(1, 3, 5), TIME);
      report.ratio(
          "keys_100k",
          rounds.ratio(WITH, WITHOUT),
          Target.atLeast(0.4),
          "rate with a limit of 1 for each of %,d keys / without".formatted(keys));
      report.figure("keys_per_s", "tasks/s", rounds.samples(WITH), "one no-op task for each key");
      report.figure("baseline_per_s", "tasks/s", rounds.samples(WITHOUT), "the same, no limits");
      report.fact("workers", Fleet.describe(workers));
    }
  }
}
