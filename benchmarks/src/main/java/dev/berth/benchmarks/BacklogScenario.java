package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.benchmarks.plot.Curve;
import dev.berth.postgres.PostgresStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Whether a queue is slower the more tasks wait in it. */
final class BacklogScenario implements Scenario {

  private static final Duration TIME = Duration.ofSeconds(15);

  @Override
  public String name() {
    return "backlog";
  }

  @Override
  public String about() {
    return "An exchange that finishes and claims tasks, and a worker's rate, with 10,000, 100,000"
        + " and 1,000,000 tasks waiting.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    List<Integer> sizes =
        bench
            .size()
            .of(
                List.of(100, 1_000, 10_000),
                List.of(10_000, 100_000, 1_000_000),
                List.of(10_000, 100_000, 1_000_000));
    int exchanges = bench.size().of(5, 50, 200);
    int drained = bench.size().of(100, 5_000, 30_000);
    List<Backlog> backlogs = new ArrayList<>();
    try {
      Rounds rounds = new Rounds(bench);
      for (int waiting : sizes) {
        bench.say("%,d tasks".formatted(waiting));
        Backlog backlog = Backlog.of(bench, waiting);
        backlogs.add(backlog);
        rounds
            .variant(exchange(waiting), () -> backlog.exchange(exchanges))
            .variant(worker(waiting), () -> backlog.drain(drained));
      }
      bench.warmUp(() -> {
        backlogs.getFirst().drain(drained);
        for (Backlog backlog : backlogs) {
          backlog.exchange(exchanges / 5);
        }
      });
      rounds.run(bench.size().of(1, 2, 9), bench.size().of(1, 5, 9), TIME);
      tell(report, rounds, sizes);
    } finally {
      for (Backlog backlog : backlogs) {
        backlog.close();
      }
    }
  }

  private static void tell(Report report, Rounds rounds, List<Integer> sizes) {
    int least = sizes.getFirst();
    int most = sizes.getLast();
    report.ratio(
        "backlog_1m",
        rounds.ratio(exchange(most), exchange(least)),
        Target.atMost(1.2),
        "time to finish 50 tasks and claim 50 with %,d waiting / with %,d".formatted(most, least));
    report.ratio(
        "backlog_1m_worker",
        rounds.ratio(worker(most), worker(least)),
        null,
        "a worker's rate with %,d waiting / with %,d".formatted(most, least));
    Curve times = Curve.of("One exchange behind a backlog", "tasks waiting", "ms");
    Curve rates = Curve.of("One worker behind a backlog", "tasks waiting", "tasks/s");
    for (int waiting : sizes) {
      String size = Text.scaled(waiting);
      Samples exchange = rounds.samples(exchange(waiting));
      Samples rate = rounds.samples(worker(waiting));
      report.figure("exchange_" + size + "_ms", "ms", exchange, "median of one exchange");
      report.figure("drain_" + size + "_per_s", "tasks/s", rate, "one worker");
      times.point("finish 50 and claim 50", size, exchange.point());
      rates.point("one worker", size, rate.point());
    }
    report.curve(times).curve(rates);
  }

  private static String exchange(int waiting) {
    return "exchange, %,d waiting".formatted(waiting);
  }

  private static String worker(int waiting) {
    return "worker, %,d waiting".formatted(waiting);
  }

  /** A database in which there are always so many tasks waiting, or a few more. */
  private record Backlog(BenchDatabase database, PostgresStore store, Claimer claimer)
      implements AutoCloseable {

    static Backlog of(Bench bench, int waiting) throws SQLException, IOException {
      BenchDatabase database = bench.server().database();
      PostgresStore store = database.store();
      Copies.fill(database, Berth.on(store), NoOp.TYPE, waiting);
      return new Backlog(database, store, new Claimer(store, List.of(NoOp.TYPE)));
    }

    /** It submits as many as it claims. */
    double exchange(int exchanges) {
      return claimer.claims(NoOp.TYPE, exchanges);
    }

    double drain(int tasks) throws InterruptedException {
      Berth berth = Berth.on(store);
      NoOp.submit(berth, tasks);
      return Drain.of(berth, NoOp.TYPE, tasks).perSecond();
    }

    @Override
    public void close() throws SQLException {
      store.close();
      database.close();
    }
  }
}
