package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import dev.berth.worker.Handler;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import dev.berth.worker.WorkerListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Runs what waits in the queue with one worker, until so many outcomes are durable. */
final class Drain implements WorkerListener {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final long tasks;
  private final AtomicLong recorded = new AtomicLong();
  private final CountDownLatch over = new CountDownLatch(1);

  private Drain(long tasks) {
    this.tasks = tasks;
  }

  /** How many tasks ended, and what it took, from the start of the worker. */
  record Drained(long tasks, Duration time) {

    double perSecond() {
      return Drain.perSecond(tasks, time);
    }
  }

  static Drained of(
      Berth berth,
      TaskType<NoOp, Void> type,
      long tasks,
      Handler<NoOp> handler,
      UnaryOperator<WorkerBuilder> settings)
      throws InterruptedException {
    Drained drained = within(PATIENCE, berth, type, tasks, handler, settings);
    if (drained.tasks() < tasks) {
      throw new IllegalStateException(
          "Only %d of %d tasks ended within %s".formatted(drained.tasks(), tasks, PATIENCE));
    }
    return drained;
  }

  /** By a worker with default settings whose handler does nothing. */
  static Drained of(Berth berth, TaskType<NoOp, Void> type, long tasks)
      throws InterruptedException {
    return of(berth, type, tasks, (payload, task) -> {}, builder -> builder);
  }

  /** The same, cut off when it takes longer than this: then it is what ended by then. */
  static Drained within(Duration longest, Berth berth, TaskType<NoOp, Void> type, long tasks)
      throws InterruptedException {
    return within(longest, berth, type, tasks, (payload, task) -> {}, builder -> builder);
  }

  private static Drained within(
      Duration longest,
      Berth berth,
      TaskType<NoOp, Void> type,
      long tasks,
      Handler<NoOp> handler,
      UnaryOperator<WorkerBuilder> settings)
      throws InterruptedException {
    Drain drain = new Drain(tasks);
    WorkerBuilder builder = settings.apply(berth.worker().handle(type, handler).listener(drain));
    long began = System.nanoTime();
    try (Worker worker = builder.start()) {
      boolean all = drain.over.await(longest.toNanos(), TimeUnit.NANOSECONDS);
      Duration time = Duration.ofNanos(System.nanoTime() - began);
      return new Drained(all ? tasks : drain.recorded.get(), time);
    }
  }

  static double perSecond(long count, Duration time) {
    return count * 1e9 / time.toNanos();
  }

  @Override
  public void exchanged(int asked, int claimed, int handedIn, Duration took) {
    if (recorded.addAndGet(handedIn) >= tasks) {
      over.countDown();
    }
  }
}
