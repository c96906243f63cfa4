package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.benchmarks.plot.Curve;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Whether more worker processes run more tasks. */
final class WorkersScenario implements Scenario {

  private static final Duration TIME = Duration.ofSeconds(15);

  /** Enough for all processes to have some. */
  private static final int FEW = 24_000;

  @Override
  public String name() {
    return "workers";
  }

  @Override
  public String about() {
    return "No-op tasks of one queue by 1, 2, 4 and 8 worker processes that are warm.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    List<Integer> counts = bench.size().of(List.of(1, 2), List.of(1, 2, 4, 8), List.of(1, 2, 4, 8));
    try (BenchDatabase database = bench.server().database();
        Berth berth = database.berth();
        Processes processes = Processes.start(bench, database, counts.getLast())) {
      bench.warmUp(warmUp(bench), () -> processes.rate(berth, counts.getLast(), FEW));
      int tasks = bench.size() == Size.TINY ? 300 : processes.tasksOf(berth, seconds(bench));
      Rounds rounds = new Rounds(bench);
      for (int count : counts.reversed()) {
        rounds.variant(variant(count), () -> processes.rate(berth, count, tasks));
      }
      rounds.run(bench.size().of(1, 2, 5), bench.size().of(1, 4, 5), TIME);
      Curve curve = Curve.of("Worker processes on one queue", "processes", "tasks/s");
      for (int count : counts) {
        Samples rate = rounds.samples(variant(count));
        if (count > 1) {
          report.ratio(
              "workers_" + count,
              rounds.ratio(variant(count), variant(1)),
              null,
              "rate of %d worker processes / of 1".formatted(count));
        }
        report.figure(
            "workers_%d_per_s".formatted(count),
            "tasks/s",
            rate,
            "%,d no-op tasks by %s".formatted(tasks, variant(count)));
        curve.point("no-op tasks", "" + count, rate.point());
      }
      report.curve(curve);
      report.note(
          "The server and all processes share the machine: more of them than cores cannot help.");
    }
  }

  private static String variant(int count) {
    return count == 1 ? "1 process" : count + " processes";
  }

  /** All of them at once, each in a virtual machine that has yet to compile what it runs. */
  private static Duration warmUp(Bench bench) {
    return Duration.ofSeconds(bench.size().of(0, 14, 30));
  }

  /** What starts with a round, such as workers, must not weigh much. */
  private static int seconds(Bench bench) {
    return bench.size().of(0, 2, 5);
  }

  /** Processes that live through all rounds; in each, some of them work. */
  private static final class Processes implements AutoCloseable {

    private final BenchDatabase database;
    private final List<WorkerProcess> all = new ArrayList<>();
    private final Countdown ended = new Countdown();

    private Processes(BenchDatabase database) {
      this.database = database;
    }

    static Processes start(Bench bench, BenchDatabase database, int count) throws Exception {
      bench.say("starting %d processes".formatted(count));
      Processes processes = new Processes(database);
      try {
        for (int i = 0; i < count; i++) {
          processes.all.add(WorkerProcess.open(bench, database, processes.ended));
        }
        return processes;
      } catch (Exception e) {
        processes.close();
        throw e;
      }
    }

    /** About as many tasks as all processes run in so many seconds: fewer on a slow machine. */
    int tasksOf(Berth berth, int seconds) throws Exception {
      return (int) Math.ceil(rate(berth, all.size(), FEW) * seconds / 1_000) * 1_000;
    }

    /** Tasks per second, from when the queue is opened until the last outcome is durable. */
    double rate(Berth berth, int count, int tasks) throws Exception {
      berth.queues().pause(TaskType.DEFAULT_QUEUE);
      database.execute("truncate berth_private.task_history");
      Copies.fill(database, berth, NoOp.TYPE, tasks);
      List<WorkerProcess> some = List.copyOf(all.subList(0, count));
      Collections.rotate(all, -count); // by turns, so that none is warmer than others
      WorkerProcess.work(some);
      ended.from(tasks);
      long began = System.nanoTime();
      berth.queues().resume(TaskType.DEFAULT_QUEUE);
      double rate = tasks * 1e9 / (ended.awaitZero() - began);
      WorkerProcess.rest(some);
      return rate;
    }

    @Override
    public void close() {
      all.forEach(WorkerProcess::close);
    }
  }
}
