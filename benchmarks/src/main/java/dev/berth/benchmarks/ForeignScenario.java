package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
import dev.berth.task.TaskType;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a claim costs while tasks of types that the worker does not know stand ahead of its own. */
final class ForeignScenario implements Scenario {

  private static final Duration TIME = Duration.ofSeconds(15);

  /** As other services on the same queue may have. */
  private static final int TYPES = 100;

  /** More than a look reads before it asks for types. */
  private static final int FEW = 1_000;

  /** A look takes a tenth of the time of an exchange that claims. */
  private static final int LOOKS = 10;

  @Override
  public String name() {
    return "foreign";
  }

  @Override
  public String about() {
    return "The cost of a claim behind tasks of types the worker does not know, beside none; and of"
        + " a look that finds nothing behind very many of them, beside few.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int foreign = bench.size().of(500, 1_000_000, 1_000_000);
    int exchanges = bench.size().of(5, 50, 200);
    try (BenchDatabase alone = bench.server().database();
        BenchDatabase few = bench.server().database();
        BenchDatabase behind = bench.server().database();
        PostgresStore aloneStore = alone.store();
        PostgresStore fewStore = few.store();
        PostgresStore behindStore = behind.store()) {
      bench.say("submitting %,d tasks of foreign types".formatted(foreign));
      fill(few, fewStore, FEW);
      fill(behind, behindStore, foreign);
      Claimer first = new Claimer(aloneStore, List.of(NoOp.TYPE));
      Claimer second = new Claimer(fewStore, List.of(NoOp.TYPE));
      Claimer third = new Claimer(behindStore, List.of(NoOp.TYPE));
      Rounds rounds =
          new Rounds(bench)
              .variant("claim, alone", () -> first.claims(NoOp.TYPE, exchanges))
              // so that its looks follow claims as well
              .variant("claim, few", () -> second.claims(NoOp.TYPE, exchanges))
              .variant("claim, behind", () -> third.claims(NoOp.TYPE, exchanges))
              .variant("look, alone", () -> first.looks(LOOKS * exchanges))
              .variant("look, few", () -> second.looks(LOOKS * exchanges))
              .variant("look, behind", () -> third.looks(LOOKS * exchanges))
              .warmUp()
              .run(bench.size().of(1, 2, 11), bench.size().of(1, 25, 25), TIME);
      tell(report, rounds, foreign);
    }
  }

  private static void tell(Report report, Rounds rounds, int foreign) {
    report.ratio(
        "foreign_1m",
        rounds.ratio("claim, behind", "claim, alone"),
        Target.atMost(1.2),
        "time to hand in and claim 50, behind %,d foreign tasks / alone".formatted(foreign));
    report.ratio(
        "foreign_1m_idle",
        rounds.ratio("look, behind", "look, few"),
        Target.atMost(1.2),
        "time to look and find nothing, behind %,d foreign tasks / behind %,d"
            .formatted(foreign, FEW));
    report.note(
        "A look in an empty queue does not ask for types: one behind few is what to compare with.");
    report.figure(
        "claim_behind_ms", "ms", rounds.samples("claim, behind"), "median of one exchange");
    report.figure("claim_alone_ms", "ms", rounds.samples("claim, alone"), "the same, alone");
    report.figure(
        "look_behind_ms", "ms", rounds.samples("look, behind"), "median of a look in vain");
    report.figure(
        "look_few_ms",
        "ms",
        rounds.samples("look, few"),
        "the same behind %,d foreign tasks".formatted(FEW));
    report.figure(
        "look_alone_ms",
        "ms",
        rounds.samples("look, alone"),
        "the same in a queue without tasks, where no type is asked for");
  }

  private static void fill(BenchDatabase database, PostgresStore store, int count)
      throws SQLException, IOException {
    Map<String, Integer> copies = new HashMap<>();
    for (int i = 0; i < TYPES; i++) {
      var type = TaskType.of("foreign_" + i, NoOp.class);
      NoOp.submit(Berth.on(store), type, 1);
      copies.put(type.name(), count / TYPES - 1);
    }
    Copies.of(database, copies);
  }
}
