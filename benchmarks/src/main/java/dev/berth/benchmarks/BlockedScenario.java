package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.limit.Limit;
import dev.berth.postgres.PostgresStore;
import dev.berth.task.TaskType;
import java.sql.SQLException;
import java.util.List;

/** What a claim of other work costs while a million tasks wait behind a limit that is full. */
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
    return "The cost of a claim of other work behind a full limit with many waiting, beside none.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int blocked = bench.size().of(1_000, 1_000_000, 1_000_000);
    int exchanges = bench.size().of(5, 40, 200);
    try (BenchDatabase alone = bench.server().database();
        BenchDatabase behind = bench.server().database();
        PostgresStore aloneStore = alone.store();
        PostgresStore behindStore = behind.store()) {
      Claimer first = claimer(aloneStore);
      Claimer second = claimer(behindStore);
      bench.say("submitting %,d tasks under a full limit".formatted(blocked));
      fill(behind, behindStore, blocked, bench.size().of(10, 1_000, 1_000));
      Rounds rounds =
          new Rounds(bench)
              .variant("open, none waiting", () -> first.claims(OPEN, exchanges))
              .variant("open, behind", () -> second.claims(OPEN, exchanges))
              .variant("limited, none waiting", () -> first.claims(LIMITED, exchanges))
              .variant("limited, behind", () -> second.claims(LIMITED, exchanges))
              .variant("look, none waiting", () -> first.looks(exchanges))
              .variant("look, behind", () -> second.looks(exchanges))
              .warmUp()
              .run(bench.size().of(1, 5, 11));
      tell(
          report, rounds, "blocked_1m", "open", "hand in and claim 50 without limits, behind them");
      tell(report, rounds, "blocked_1m_limited", "limited", "the same of a type with a limit");
      tell(report, rounds, "blocked_1m_idle", "look", "look and find nothing, behind them");
      report.fact("waiting", "%,d tasks behind a full limit".formatted(blocked));
    }
  }

  private static void tell(Report report, Rounds rounds, String ratio, String what, String means) {
    Samples behind = rounds.samples(what + ", behind");
    Samples none = rounds.samples(what + ", none waiting");
    report.ratio(
        ratio,
        rounds.ratio(what + ", behind", what + ", none waiting"),
        Target.atMost(1.2),
        "time to " + means + " / with none waiting");
    report.figure(what + "_behind_ms", "ms", behind, "median of one exchange");
    report.figure(what + "_none_ms", "ms", none, "");
  }

  /** One that handles all types, while another session holds all slots of the full limit. */
  private static Claimer claimer(PostgresStore store) {
    NoOp.submit(Berth.on(store), BLOCKED, FULL.slots());
    int held = new Claimer(store, List.of(BLOCKED)).hold(FULL.slots());
    if (held != FULL.slots()) {
      throw new IllegalStateException(
          "Only %d of %d slots could be taken".formatted(held, FULL.slots()));
    }
    return new Claimer(store, List.of(BLOCKED, BLOCKED_USERS, OPEN, LIMITED));
  }

  private static void fill(BenchDatabase database, PostgresStore store, int count, int users)
      throws SQLException {
    NoOp.submit(Berth.on(store), BLOCKED, 1);
    NoOp.submit(Berth.on(store), BLOCKED_USERS, users);
    Copies.of(database, BLOCKED.name(), count / 2 - 1);
    Copies.of(database, BLOCKED_USERS.name(), count / 2 / users - 1);
    database.execute("vacuum analyze berth.task");
  }
}
