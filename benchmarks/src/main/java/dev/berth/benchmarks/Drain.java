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

  /** What it took, from the start of the worker. */
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
    Drain drain = new Drain(tasks);
    WorkerBuilder builder = settings.apply(berth.worker().handle(type, handler).listener(drain));
    long began = System.nanoTime();
    try (Worker worker = builder.start()) {
      drain.await();
      return drain.drained(Duration.ofNanos(System.nanoTime() - began));
    }
  }

  /** By a worker with default settings whose handler does nothing. */
  static Drained of(Berth berth, TaskType<NoOp, Void> type, long tasks)
      throws InterruptedException {
    return of(berth, type, tasks, (payload, task) -> {}, builder -> builder);
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

  private Drained drained(Duration time) {
    return new Drained(tasks, time);
  }

  private void await() throws InterruptedException {
    if (!over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "Only %d of %d tasks ended within %s".formatted(recorded.get(), tasks, PATIENCE));
    }
  }
}
