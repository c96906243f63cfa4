package dev.berth.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a worker costs that has nothing to do. */
final class IdleScenario implements Scenario {

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public String about() {
    return "The CPU time of a worker process on an empty queue, with default settings.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int windows = bench.size().of(1, 4, 6);
    long millis = bench.size().of(200L, 6_000L, 30_000L);
    try (BenchDatabase database = bench.server().database();
        WorkerProcess process = WorkerProcess.open(bench, database, ended -> {})) {
      process.work();
      bench.say("waiting until the process has settled");
      TimeUnit.SECONDS.sleep(bench.size().of(0, 6, 20));
      List<Double> cpu = new ArrayList<>();
      List<Double> transactions = new ArrayList<>();
      for (int i = 1; i <= windows; i++) {
        long before = transactions(database);
        double used = process.cpuSeconds();
        long began = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(millis);
        double took = (System.nanoTime() - began) / 1e9;
        cpu.add((process.cpuSeconds() - used) / took);
        transactions.add((transactions(database) - before) / took);
        bench.say("%d of %d: %s of a core".formatted(i, windows, Text.number(cpu.getLast())));
      }
      report.ratio(
          "idle_cpu",
          new Samples(cpu),
          Target.atMost(0.01),
          "CPU seconds of the process / seconds that passed");
      report.figure(
          "idle_transactions_per_s",
          "1/s",
          new Samples(transactions),
          "transactions of the worker on the server: looks, heartbeats, sweeps");
    }
  }

  private static long transactions(BenchDatabase database) throws Exception {
    return database.number(
        "select xact_commit + xact_rollback from pg_stat_database"
            + " where datname = current_database()");
  }
}
