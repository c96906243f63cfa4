package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a claim costs while tasks of types that the worker does not know stand ahead of its own. */
final class ForeignScenario implements Scenario {

  private static final int BATCH = 50;
  private static final int FILL_BATCH = 10_000;

  /** Of a hundred types, as other services on the same queue may have. */
  private static final String FILL =
      """
      select berth.submit_batch(
        array_agg(berth.new_id()), array_agg('foreign_' || n %% 100), array_agg('default'::text),
        array_agg(5::smallint), array_agg(null::timestamptz), array_agg(0::bigint),
        array_agg('{"number":1}'::text), array_agg(null::text), false)
        from generate_series(1, %d) n
      """;

  @Override
  public String name() {
    return "foreign";
  }

  @Override
  public String about() {
    return "The cost of a claim behind tasks of types the worker does not know, beside none.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int foreign = bench.size().of(500, 1_000_000, 1_000_000);
    int exchanges = bench.size().of(5, 100, 200);
    try (BenchDatabase alone = bench.server().database();
        BenchDatabase behind = bench.server().database();
        PostgresStore aloneStore = alone.store();
        PostgresStore behindStore = behind.store()) {
      bench.say("submitting %,d tasks of foreign types".formatted(foreign));
      fill(behind, foreign);
      Claimer first = new Claimer(aloneStore);
      Claimer second = new Claimer(behindStore);
      Rounds rounds =
          new Rounds(bench)
              .variant("claim, alone", () -> first.claims(exchanges))
              .variant("claim, behind", () -> second.claims(exchanges))
              .variant("look, alone", () -> first.looks(exchanges))
              .variant("look, behind", () -> second.looks(exchanges))
              .warmUp()
              .run(bench.size().of(1, 5, 11));
      report.ratio(
          "foreign_1m",
          rounds.ratio("claim, behind", "claim, alone"),
          Target.atMost(1.2),
          "time to hand in and claim 50, behind %,d foreign tasks / alone".formatted(foreign));
      report.ratio(
          "foreign_1m_idle",
          rounds.ratio("look, behind", "look, alone"),
          Target.atMost(1.2),
          "time to look and find nothing, behind them / in an empty queue");
      report.figure(
          "claim_behind_ms", "ms", rounds.samples("claim, behind"), "median of one exchange");
      report.figure("claim_alone_ms", "ms", rounds.samples("claim, alone"), "");
      report.figure("look_behind_ms", "ms", rounds.samples("look, behind"), "");
      report.figure("look_alone_ms", "ms", rounds.samples("look, alone"), "");
    }
  }

  private static void fill(BenchDatabase database, int count) throws SQLException {
    for (int done = 0; done < count; done += FILL_BATCH) {
      database.execute(FILL.formatted(Math.min(FILL_BATCH, count - done)));
    }
    database.execute("vacuum analyze berth.task");
  }

  /** A worker reduced to its exchanges, so that nothing else is timed. */
  private static final class Claimer {

    private final PostgresStore store;
    private final Session session;
    private long number;

    Claimer(PostgresStore store) {
      this.store = store;
      var known = new SessionRequest.Handled(NoOp.TYPE.name(), Retention.DEFAULT, 5);
      this.session =
          store.open(
              new SessionRequest(
                  "bench", List.of(known), List.of("default"), Duration.ofMinutes(10), 1_000));
    }

    /** Milliseconds of an exchange that hands in a batch and claims the next. */
    double claims(int exchanges) {
      NoOp.submit(Berth.on(store), exchanges * BATCH);
      List<Double> times = new ArrayList<>();
      List<Ended> ended = List.of();
      do {
        long began = System.nanoTime();
        List<Claim> claims = exchange(ended, BATCH);
        if (ended.size() == BATCH && claims.size() == BATCH) {
          times.add((System.nanoTime() - began) / 1e6);
        }
        ended =
            claims.stream()
                .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
                .toList();
      } while (!ended.isEmpty());
      return new Samples(times).median();
    }

    /** Milliseconds of an exchange that finds nothing. */
    double looks(int exchanges) {
      List<Double> times = new ArrayList<>();
      for (int i = 0; i < exchanges; i++) {
        long began = System.nanoTime();
        exchange(List.of(), BATCH);
        times.add((System.nanoTime() - began) / 1e6);
      }
      return new Samples(times).median();
    }

    private List<Claim> exchange(List<Ended> ended, int claims) {
      number++;
      return switch (store.exchange(
          new ExchangeRequest(session.id(), number, ended, claims, List.of("default")))) {
        case Exchanged.Done done -> done.claims();
        case Exchanged.SessionLost lost ->
            throw new IllegalStateException("The session of the benchmark expired");
      };
    }
  }
}
