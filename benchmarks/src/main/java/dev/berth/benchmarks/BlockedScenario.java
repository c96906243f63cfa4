package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.benchmarks.plot.Curve;
import dev.berth.limit.Limit;
import dev.berth.postgres.PostgresStore;
import dev.berth.task.TaskType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What a claim of other work costs while up to a million tasks wait behind a full limit. */
final class BlockedScenario implements Scenario {

  private static final Limit FULL = Limit.of("full", 10);

  /** Half of what waits is in one lane, the other half in as many lanes as there are users. */
  private static final TaskType<NoOp, Void> BLOCKED =
      TaskType.of("blocked", NoOp.class).under(FULL);

  private static final TaskType<NoOp, Void> BLOCKED_USERS =
      TaskType.of("blocked_users", NoOp.class).under(FULL).limitPer("user", NoOp::number, 1);

  private static final TaskType<NoOp, Void> OPEN = NoOp.TYPE;
  private static final TaskType<NoOp, Void> LIMITED =
      TaskType.of("limited", NoOp.class).limit(1_000);

  @Override
  public String name() {
    return "blocked";
  }

  @Override
  public String about() {
    return "The cost of a claim of other work while 10,000, 100,000 and 1,000,000 tasks wait behind"
        + " a full limit, beside none.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    List<Integer> sizes =
        bench
            .size()
            .of(
                List.of(0, 1_000),
                List.of(0, 10_000, 100_000, 1_000_000),
                List.of(0, 10_000, 100_000, 1_000_000));
    int users = bench.size().of(10, 1_000, 1_000);
    int exchanges = bench.size().of(5, 40, 200);
    List<Behind> all = new ArrayList<>();
    try {
      Rounds rounds = new Rounds(bench);
      for (int waiting : sizes) {
        bench.say("%,d tasks under a full limit".formatted(waiting));
        Behind behind = Behind.of(bench, waiting, users);
        all.add(behind);
        rounds
            .variant(variant("open", waiting), () -> behind.claimer().claims(OPEN, exchanges))
            .variant(variant("limited", waiting), () -> behind.claimer().claims(LIMITED, exchanges))
            .variant(variant("look", waiting), () -> behind.claimer().looks(exchanges));
      }
      rounds.warmUp().run(bench.size().of(1, 3, 11));
      tell(report, rounds, sizes);
    } finally {
      for (Behind behind : all) {
        behind.close();
      }
    }
  }

  private static void tell(Report report, Rounds rounds, List<Integer> sizes) {
    Curve curve =
        Curve.of("One exchange behind a full limit", "tasks waiting behind the limit", "ms");
    tell(report, rounds, sizes, curve, "blocked_1m", "open", "finish 50 and claim 50, no limits");
    tell(
        report,
        rounds,
        sizes,
        curve,
        "blocked_1m_limited",
        "limited",
        "finish 50 and claim 50, limited");
    tell(report, rounds, sizes, curve, "blocked_1m_idle", "look", "find nothing");
    report.curve(curve);
  }

  private static void tell(
      Report report,
      Rounds rounds,
      List<Integer> sizes,
      Curve curve,
      String ratio,
      String what,
      String means) {
    int most = sizes.getLast();
    report.ratio(
        ratio,
        rounds.ratio(variant(what, most), variant(what, sizes.getFirst())),
        Target.atMost(1.2),
        "time to %s, behind %,d blocked tasks / behind none".formatted(means, most));
    for (int waiting : sizes) {
      Samples samples = rounds.samples(variant(what, waiting));
      String size = Text.scaled(waiting);
      report.figure(what + "_" + size + "_ms", "ms", samples, "median of one exchange");
      curve.point(means, size, samples.point());
    }
  }

  private static String variant(String what, int waiting) {
    return "%s, %,d waiting".formatted(what, waiting);
  }

  /** A database with so many tasks behind a full limit. */
  private record Behind(BenchDatabase database, PostgresStore store, Claimer claimer)
      implements AutoCloseable {

    static Behind of(Bench bench, int waiting, int users) throws SQLException {
      BenchDatabase database = bench.server().database();
      PostgresStore store = database.store();
      hold(store);
      fill(database, store, waiting, users);
      List<TaskType<NoOp, Void>> types = List.of(BLOCKED, BLOCKED_USERS, OPEN, LIMITED);
      return new Behind(database, store, new Claimer(store, types));
    }

    /** Another session takes all slots of the limit. */
    private static void hold(PostgresStore store) {
      NoOp.submit(Berth.on(store), BLOCKED, FULL.slots());
      int held = new Claimer(store, List.of(BLOCKED)).hold(FULL.slots());
      if (held != FULL.slots()) {
        throw new IllegalStateException(
            "Only %d of %d slots could be taken".formatted(held, FULL.slots()));
      }
    }

    private static void fill(BenchDatabase database, PostgresStore store, int count, int users)
        throws SQLException {
      if (count > 0) {
        NoOp.submit(Berth.on(store), BLOCKED, 1);
        NoOp.submit(Berth.on(store), BLOCKED_USERS, users);
        Copies.of(database, BLOCKED.name(), count / 2 - 1);
        Copies.of(database, BLOCKED_USERS.name(), count / 2 / users - 1);
      }
      database.execute("vacuum analyze berth.task");
    }

    @Override
    public void close() throws SQLException {
      store.close();
      database.close();
    }
  }
}
