package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.worker.Handler;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import dev.berth.worker.WorkerListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Runs what waits in the queue with one worker, until the last outcome is durable. */
final class Drain implements WorkerListener {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final long tasks;
  private final AtomicLong recorded = new AtomicLong();
  private final CountDownLatch over = new CountDownLatch(1);

  private Drain(long tasks) {
    this.tasks = tasks;
  }

  /** How long it took, from the start of the worker. */
  static Duration of(
      Berth berth, long tasks, Handler<NoOp> handler, UnaryOperator<WorkerBuilder> settings)
      throws InterruptedException {
    Drain drain = new Drain(tasks);
    WorkerBuilder builder =
        settings.apply(berth.worker().handle(NoOp.TYPE, handler).listener(drain));
    long began = System.nanoTime();
    try (Worker worker = builder.start()) {
      drain.await();
      return Duration.ofNanos(System.nanoTime() - began);
    }
  }

  /** Tasks per second of a worker with default settings whose handler does nothing. */
  static double rate(Berth berth, long tasks) throws InterruptedException {
    return perSecond(tasks, of(berth, tasks, (payload, task) -> {}, builder -> builder));
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

  private void await() throws InterruptedException {
    if (!over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "Only %d of %d tasks ended within %s".formatted(recorded.get(), tasks, PATIENCE));
    }
  }
}
