package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresOptions;
import dev.berth.store.Claim;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How soon a task starts: after its submit on an idle queue, and after its due time. */
final class LatencyScenario implements Scenario {

  private static final String SUBMIT_TO_START = "ms until the handler starts, submitted ";
  private static final String PROCESS = "from another process";
  private static final String HERE = "from the worker's process";
  private static final String POLLING = "from another process, polling";
  private static final Duration TIME = Duration.ofSeconds(15);
  private static final double DUE_WITHIN_MS = 20;
  private static final long PATIENCE_SECONDS = 60;

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public String about() {
    return "From submit to the start of the handler on an idle queue, and from the due time.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int count = bench.size().of(20, 120, 1_000);
    int polled = bench.size().of(3, 20, 200);
    int warmUp = bench.size().of(0, 1_500, 3_000);
    try (BenchDatabase database = bench.server().database()) {
      PickUps process =
          new PickUps(bench.size(), database, PostgresOptions.DEFAULT, warmUp, count, 30);
      PickUps here =
          new PickUps(bench.size(), database, PostgresOptions.DEFAULT, warmUp, count, 30);
      PickUps polling =
          new PickUps(
              bench.size(),
              database,
              PostgresOptions.DEFAULT.withoutWakeUps(),
              warmUp,
              polled,
              200);
      Rounds rounds =
          new Rounds(bench)
              .variant(PROCESS, process::fromProcess)
              .variant(HERE, here::fromHere)
              .variant(POLLING, polling::fromProcess)
              .run(bench.size().of(1, 2, 5), bench.size().of(1, 3, 5), TIME);
      Samples late =
          late(bench, database, bench.size().of(20, 200, 500), bench.size().of(400, 4_000, 4_000));

      report.ratio(
          "due_within_20ms",
          Samples.of(part(late, DUE_WITHIN_MS)),
          Target.atLeast(0.99),
          "part of the tasks that start within 20 ms of their due time");
      report.ratio(
          "wake_up_vs_poll",
          rounds.ratio(PROCESS, POLLING),
          null,
          "p50 with wake-ups / p50 polling every 100 ms");
      report.figure(
          "p50_ms", "ms", rounds.samples(PROCESS), Target.atMost(3), SUBMIT_TO_START + PROCESS);
      report.figure(
          "p99_ms",
          "ms",
          process.percentile(99),
          Target.atMost(10),
          SUBMIT_TO_START + PROCESS + ", 99 of 100");
      report.figure("same_process_p50_ms", "ms", rounds.samples(HERE), SUBMIT_TO_START + HERE);
      report.figure("same_process_p99_ms", "ms", here.percentile(99), "");
      report.figure(
          "polling_p50_ms",
          "ms",
          rounds.samples(POLLING),
          Target.atMost(150),
          SUBMIT_TO_START + POLLING);
      report.figure("polling_p99_ms", "ms", polling.percentile(99), "");
      report.figure("due_p50_ms", "ms", Samples.of(late.median()), "start after the due time");
      report.figure("due_p99_ms", "ms", Samples.of(late.percentile(99)), "");
      report.figure("due_max_ms", "ms", Samples.of(late.max()), "");
      if (!bench.server().here()) {
        report.note("Due times are the server's: its clock is taken to agree with ours.");
      }
    }
  }

  private static double part(Samples samples, double atMost) {
    return (double) samples.values().stream().filter(value -> value <= atMost).count()
        / samples.count();
  }

  /** Delayed tasks submitted through another store than the worker's: how late each one starts. */
  private static Samples late(Bench bench, BenchDatabase database, int count, int longestMillis)
      throws Exception {
    bench.say("due times");
    Lateness lateness = new Lateness(count);
    try (Berth receiving = database.berth();
        Berth sending = database.berth();
        Worker worker =
            receiving
                .worker()
                .handle(NoOp.TYPE, (payload, task) -> {})
                .listener(lateness)
                .start()) {
      SplittableRandom random = new SplittableRandom(count);
      for (int number = 0; number < count; number++) {
        Duration delay = Duration.ofMillis(random.nextLong(200, longestMillis));
        sending.submit(NoOp.TYPE, NoOp.of(number), options -> options.delay(delay));
      }
      return lateness.await();
    }
  }

  /** Times of pick-ups, over all rounds. */
  private static final class PickUps {

    private final Size size;
    private final BenchDatabase database;
    private final PostgresOptions options;
    private final int count;
    private final int warmUp;
    private final long longestPause;
    private final List<Double> all = new ArrayList<>();

    PickUps(
        Size size,
        BenchDatabase database,
        PostgresOptions options,
        int warmUp,
        int count,
        long longestPause) {
      this.size = size;
      this.database = database;
      this.options = options;
      this.count = count;
      this.warmUp = warmUp;
      this.longestPause = longestPause;
    }

    double fromProcess() throws Exception {
      return median(berth ->
          ChildJvm.run(
              size,
              SubmitMain.class,
              "128m",
              database,
              options.wakeUps(),
              warmUp,
              count,
              longestPause));
    }

    double fromHere() throws Exception {
      return median(berth -> Stamp.submit(berth, warmUp, count, longestPause));
    }

    Samples percentile(double percent) {
      return Samples.of(new Samples(all).percentile(percent));
    }

    private interface Sender {
      void send(Berth worker) throws Exception;
    }

    private double median(Sender sender) throws Exception {
      int tasks = warmUp + count;
      List<Double> times = Collections.synchronizedList(new ArrayList<>());
      CountDownLatch started = new CountDownLatch(tasks);
      try (Berth berth = Berth.on(database.store(options));
          Worker worker =
              berth
                  .worker()
                  .handle(
                      Stamp.TYPE,
                      (stamp, task) -> {
                        double took = stamp.millisSince();
                        if (stamp.number() >= warmUp) {
                          times.add(took);
                        }
                        started.countDown();
                      })
                  .start()) {
        sender.send(berth);
        awaitAll(started);
      }
      all.addAll(times);
      return new Samples(times).median();
    }
  }

  /** Hears when each task starts. */
  private static final class Lateness implements WorkerListener {

    private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch started;

    Lateness(int count) {
      this.started = new CountDownLatch(count);
    }

    @Override
    public void started(Claim claim) {
      Instant now = Instant.now();
      Instant due = claim.dueAt();
      if (due != null) {
        millis.add(Duration.between(due, now).toNanos() / 1e6);
      }
      started.countDown();
    }

    Samples await() throws InterruptedException {
      awaitAll(started);
      return new Samples(millis);
    }
  }

  private static void awaitAll(CountDownLatch started) throws InterruptedException {
    if (!started.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(started.getCount() + " tasks did not start in a minute");
    }
  }
}
