package dev.berth.benchmarks;

import dev.berth.task.TaskType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * No-op tasks of a hundred types by four workers, some types limited, beside the same without.
 *
 * @param ratio what the comparison is called
 * @param means what is compared with what
 * @param least what it should be at least
 * @param limited how many of the types have a limit
 * @param elsewhere how many more types the workers handle that nobody submits: these are limited
 */
record ConcurrencyScenario(
    String name, String about, String ratio, String means, double least, int limited, int elsewhere)
    implements Scenario {

  private static final int WORKERS = 4;
  private static final int TYPES = 100;
  private static final int SLOTS = 10;
  private static final Duration QUICK_TIME = Duration.ofSeconds(32);

  /** Rounds are some percent apart: it takes many of them to tell 0.99 from 1. */
  private static final Duration TIME = Duration.ofSeconds(120);

  private static final Duration WARM_UP = Duration.ofSeconds(12);

  /** Of one worker, beside what four take in the same run. */
  private static final Duration ONE_QUICK_TIME = Duration.ofSeconds(12);

  private static final Duration ONE_WARM_UP = Duration.ofSeconds(4);
  private static final String WITH = "with limits";
  private static final String WITHOUT = "without";
  private static final String MAY_NOT = "42501";
  private static final String SLOT_CHANGES =
      "select n_tup_upd from pg_stat_user_tables where schemaname = 'berth_private'"
          + " and relname = 'slot_group'";

  static Scenario baseline() {
    return new ConcurrencyScenario(
        "concurrency-baseline",
        "No-op tasks without limits, beside the same while types that nobody submits are limited.",
        "limits_elsewhere",
        "rate while 100 types that nobody submits are limited / without limits",
        0.99,
        0,
        TYPES);
  }

  static Scenario enabled() {
    return new ConcurrencyScenario(
        "concurrency-enabled",
        "No-op tasks of 100 types, each limited at 10, beside the same without limits: by four"
            + " workers and by one.",
        "all_limited",
        "rate of 100 types, each limited at 10 / without limits",
        0.85,
        TYPES,
        0);
  }

  static Scenario mixed() {
    return new ConcurrencyScenario(
        "concurrency-mixed",
        "No-op tasks of 100 types, one of them limited at 10, beside the same without limits.",
        "mixed",
        "rate of 100 types, one of them limited at 10 / without limits",
        0.95,
        1,
        0);
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int tasks = bench.size().of(400, 20_000, 40_000);
    int workers = bench.size().of(1, WORKERS, WORKERS);
    boolean all = limited == TYPES;
    Duration quick = all ? QUICK_TIME.minus(ONE_QUICK_TIME) : QUICK_TIME;
    Rounds rounds = rounds(bench, workers, tasks, WARM_UP, quick);
    report.ratio(ratio, rounds.ratio(WITH, WITHOUT), Target.atLeast(least), means);
    report.figure(
        ratio + "_per_s",
        "tasks/s",
        rounds.samples(WITH),
        "%,d no-op tasks of %d types".formatted(tasks, TYPES));
    report.figure("baseline_per_s", "tasks/s", rounds.samples(WITHOUT), "the same, no limits");
    report.fact("workers", Fleet.describe(workers));
    if (all) {
      oneWorker(bench, report, tasks);
      slots(bench, report, workers, 3 * tasks);
    }
  }

  /** The same without others to share the limits with. */
  private void oneWorker(Bench bench, Report report, int tasks) throws Exception {
    bench.say("one worker");
    Rounds rounds = rounds(bench, 1, tasks, ONE_WARM_UP, ONE_QUICK_TIME);
    report.ratio(
        "one_worker_limited",
        rounds.ratio(WITH, WITHOUT),
        Target.atLeast(0.85),
        "rate of one worker with %d types, each limited at %d / without limits"
            .formatted(TYPES, SLOTS));
    report.figure(
        "one_worker_limited_per_s",
        "tasks/s",
        rounds.samples(WITH),
        "%,d no-op tasks of %d types by one worker".formatted(tasks, TYPES));
    report.figure("one_worker_per_s", "tasks/s", rounds.samples(WITHOUT), "the same, no limits");
  }

  private Rounds rounds(Bench bench, int workers, int tasks, Duration warmUp, Duration quick)
      throws Exception {
    try (Fleet without = Fleet.start(bench, workers, types(0, 0));
        Fleet with = Fleet.start(bench, workers, types(limited, elsewhere))) {
      bench.warmUp(
          warmUp,
          () -> {
            without.rate(tasks, TYPES);
            with.rate(tasks, TYPES);
          });
      return new Rounds(bench)
          .variant(WITHOUT, () -> without.rate(tasks, TYPES))
          .variant(WITH, () -> with.rate(tasks, TYPES))
          .run(
              bench.size().of(1, 3, 9),
              bench.size().of(1, 30, 300),
              bench.size().of(quick, quick, TIME));
    }
  }

  /**
   * One more round, in which the server takes the time of its functions: that costs some speed. It
   * is longer, since the first calls of each connection also plan.
   */
  private void slots(Bench bench, Report report, int workers, int tasks) throws Exception {
    bench.say("timing what slots cost");
    BenchDatabase database = bench.server().database();
    try {
      FunctionTimes.track(database);
    } catch (SQLException e) {
      database.close();
      if (!MAY_NOT.equals(e.getSQLState())) {
        throw e;
      }
      report.note("What slots cost is left out, only a superuser may ask: " + e.getMessage());
      return;
    }
    try (Fleet fleet = Fleet.start(bench, database, workers, types(limited, elsewhere))) {
      fleet.rate(tasks, TYPES);
      fleet.stop();
      FunctionTimes times = FunctionTimes.of(database);
      // a group of so small a limit has one slot, which is taken and given back
      long slots = database.number(SLOT_CHANGES) / 2;
      tell(report, "slot_lock", times.calls("take_slots"), slots);
      tell(report, "slot_release", times.calls("give_back"), slots);
    }
  }

  private static void tell(Report report, String name, FunctionTimes.Calls calls, long slots) {
    report.figure(
        name + "_ms",
        "ms",
        Samples.of(calls.ms() / slots),
        Target.atMost(1),
        "berth_private.%s, for each of %,d slots".formatted(calls.function(), slots));
    report.figure(
        name + "_call_ms",
        "ms",
        Samples.of(calls.meanMs()),
        "the same for each of %,d calls".formatted(calls.count()));
  }

  /** Both fleets handle the same number of types, so that nothing but limits is between them. */
  private List<TaskType<NoOp, Void>> types(int limitedNow, int limitedElsewhere) {
    return IntStream.range(0, TYPES + elsewhere)
        .mapToObj(i -> {
          TaskType<NoOp, Void> type = TaskType.of("no_op_" + i, NoOp.class);
          boolean limit = i < TYPES ? i < limitedNow : i - TYPES < limitedElsewhere;
          return limit ? type.limit(SLOTS) : type;
        })
        .toList();
  }
}
