package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import dev.berth.worker.WorkerStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * One run of the demo: tasks are submitted round by round while a worker in this process runs them.
 * The run has a queue of its own, so that several of them can share a database.
 */
final class DemoRun {

  private static final int ROUND_SIZE = 1_000;
  private static final long TICK_MS = 20;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final Berth berth;
  private final int tasks;
  private final DemoWork work;
  private final List<DemoPart<?>> parts;
  private final Map<String, String> settings;
  private final DemoTally tally = new DemoTally();

  /**
   * @param settings of the worker, from the configuration file
   */
  DemoRun(Berth berth, String queue, int tasks, Map<String, String> settings) {
    this.berth = berth;
    this.tasks = tasks;
    this.work = new DemoWork(queue);
    this.parts = work.parts();
    this.settings = settings;
  }

  /** Returns when every task has ended and all outcomes are recorded. */
  DemoResult run(DemoProgress progress) throws InterruptedException {
    Worker worker = worker();
    long began = System.nanoTime();
    try (worker) {
      FutureTask<Void> submitting = new FutureTask<>(this::submit, null);
      Thread submitter = Thread.ofVirtual().start(submitting);
      try {
        while (ended(worker.stats()) < tasks) {
          if (submitting.isDone()) {
            rethrow(submitting);
          }
          progress.show(snapshot(worker, began));
          Thread.sleep(TICK_MS);
        }
      } finally {
        submitter.interrupt();
      }
    }
    return new DemoResult(snapshot(worker, began), parts, work.limits(), tally);
  }

  private Worker worker() {
    WorkerBuilder builder = berth.worker().listener(tally).stopTimeout(STOP_TIMEOUT);
    parts.forEach(part -> part.handler().accept(builder));
    return builder.settings(settings).start();
  }

  private void submit() {
    for (int from = 0; from < tasks; from += ROUND_SIZE) {
      int to = Math.min(tasks, from + ROUND_SIZE);
      String round = Integer.toString(from / ROUND_SIZE);
      tally.roundBegins(round);
      int first = from;
      int percent = 0;
      for (DemoPart<?> part : parts) {
        percent += part.percent();
        int end = from + Math.toIntExact((to - from) * (long) percent / 100);
        tally.submitted(
            part.name(),
            part.submit(berth, first, end, o -> o.metadata(Map.of(DemoTally.ROUND, round))));
        first = end;
      }
    }
  }

  private DemoSnapshot snapshot(Worker worker, long began) {
    return new DemoSnapshot(
        tasks, tally.submitted(), worker.stats(), Duration.ofNanos(System.nanoTime() - began));
  }

  private static long ended(WorkerStats stats) {
    return stats.finished() + stats.failed() + stats.cancelled();
  }

  private static void rethrow(FutureTask<Void> submitting) throws InterruptedException {
    try {
      submitting.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }
}
