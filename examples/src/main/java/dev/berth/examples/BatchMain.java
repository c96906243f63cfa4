package dev.berth.examples;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.task.TaskType;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** A stream of any length is submitted batch by batch: it never stands in memory as a whole. */
public final class BatchMain {

  private static final int TASKS = 20_000;

  record Point(int x, int y) {}

  private BatchMain() {}

  public static void main(String[] arguments) throws Exception {
    var plot = TaskType.of("plot", Point.class);
    var left = new CountDownLatch(TASKS);

    try (var server = LocalPostgres.start();
        var berth = Berth.open(server.jdbcUrl())) {
      long began = System.nanoTime();
      long accepted =
          berth.submitAll(plot, IntStream.range(0, TASKS).mapToObj(n -> new Point(n, n * n)));
      System.out.printf("Submitted %,d tasks in %d ms%n", accepted, millisSince(began));

      began = System.nanoTime();
      try (var worker = berth.worker().handle(plot, (point, task) -> left.countDown()).start()) {
        left.await();
        System.out.printf("Ran them in %d ms%n", millisSince(began));
      }
    }
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
