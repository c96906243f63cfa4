package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.benchmarks.plot.Curve;
import dev.berth.limit.Limit;
import dev.berth.postgres.PostgresStore;
import dev.berth.task.TaskType;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a claim of other work costs while up to a million tasks wait behind a full limit. */
final class BlockedScenario implements Scenario {

  private static final Duration TIME = Duration.ofSeconds(15);

  private static final Limit FULL = Limit.of("full", 10);

  /** Half of what waits is in one lane, the other half in as many lanes as there are users. */
  private static final TaskType<NoOp, Void> BLOCKED =
      TaskType.of("blocked", NoOp.class).under(FULL);

  private static final TaskType<NoOp, Void> BLOCKED_USERS =
      TaskType.of("blocked_users", NoOp.class).under(FULL).limitPer("user", NoOp::number, 1);

  private static final TaskType<NoOp, Void> OPEN = NoOp.TYPE;
  private static final TaskType<NoOp, Void> LIMITED =
      TaskType.of("limited", NoOp.class).limit(1_000);

  /**
   * What is done behind the full limit, and how it is called in the plot.
   *
   * @param besideNone whether it does the same where nothing is blocked; else it is compared with
   *     the same behind few
   */
  private record Kind(String name, String ratio, String means, String line, boolean besideNone) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("open", "blocked_1m", "finish 50 and claim 50", "claims without limits", true),
          new Kind(
              "limited",
              "blocked_1m_limited",
              "finish 50 and claim 50 under a limit",
              "claims under a limit",
              true),
          new Kind("look", "blocked_1m_idle", "look and find nothing", "nothing to claim", false));

  @Override
  public String name() {
    return "blocked";
  }

  @Override
  public String about() {
    return "The cost of a claim of other work while 10,000, 100,000 and 1,000,000 tasks wait behind"
        + " a full limit, beside none; and of a look that finds nothing, beside few.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int users = bench.size().of(10, 1_000, 1_000);
    int few = 2 * users; // the fewest with all lanes, half of them in one
    List<Integer> sizes =
        bench
            .size()
            .of(
                List.of(0, few, 1_000),
                List.of(0, few, 10_000, 100_000, 1_000_000),
                List.of(0, few, 10_000, 100_000, 1_000_000));
    int exchanges = bench.size().of(5, 30, 200);
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
      bench.warmUp(() -> {
        for (Behind behind : all) {
          behind.claimer().claims(OPEN, exchanges / 3);
          behind.claimer().claims(LIMITED, exchanges / 3);
        }
      });
      rounds.run(bench.size().of(1, 2, 11), bench.size().of(1, 5, 11), TIME);
      tell(report, rounds, sizes, few);
    } finally {
      for (Behind behind : all) {
        behind.close();
      }
    }
  }

  private static void tell(Report report, Rounds rounds, List<Integer> sizes, int few) {
    Curve curve =
        Curve.of("One exchange behind a full limit", "tasks waiting behind the limit", "ms");
    for (Kind kind : KINDS) {
      int base = kind.besideNone() ? 0 : few;
      report.ratio(
          kind.ratio(),
          rounds.ratio(variant(kind.name(), sizes.getLast()), variant(kind.name(), base)),
          Target.atMost(1.2),
          "time to %s, behind %,d blocked tasks / behind %s"
              .formatted(
                  kind.means(),
                  sizes.getLast(),
                  kind.besideNone() ? "none" : "%,d in the same lanes".formatted(few)));
      for (int waiting : sizes) {
        Samples samples = rounds.samples(variant(kind.name(), waiting));
        String size = Text.scaled(waiting);
        report.figure(
            "%s_%s_ms".formatted(kind.name(), size), "ms", samples, "time to " + kind.means());
        curve.point(kind.line(), size, samples.point());
      }
    }
    report.curve(curve);
    report.note(
        "A look where nothing waits asks no limit: one behind few is what to compare with.");
  }

  private static String variant(String what, int waiting) {
    return "%s, %,d waiting".formatted(what, waiting);
  }

  /** A database with so many tasks behind a full limit. */
  private record Behind(BenchDatabase database, PostgresStore store, Claimer claimer)
      implements AutoCloseable {

    static Behind of(Bench bench, int waiting, int users) throws SQLException, IOException {
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
        throws SQLException, IOException {
      if (count > 0) {
        NoOp.submit(Berth.on(store), BLOCKED, 1);
        NoOp.submit(Berth.on(store), BLOCKED_USERS, users);
      }
      Copies.of(
          database,
          Map.of(BLOCKED.name(), count / 2 - 1, BLOCKED_USERS.name(), count / 2 / users - 1));
    }

    @Override
    public void close() throws SQLException {
      store.close();
      database.close();
    }
  }
}
