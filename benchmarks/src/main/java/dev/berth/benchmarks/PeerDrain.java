package dev.berth.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that waits in the queue of a {@link Peer}, run by one worker: from the start of the first
 * task, so that what a library does at its own start is not held against it, until the end of the
 * last one is durable.
 */
final class PeerDrain implements Runnable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final int tasks;
  private final AtomicInteger ran = new AtomicInteger();
  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch last = new CountDownLatch(1);
  private volatile long began;

  private PeerDrain(int tasks) {
    this.tasks = tasks;
  }

  /**
   * Tasks per second. What takes too long is cut off, and the rate is that of what was done.
   *
   * @param longest for the drain alone
   */
  static double rate(Bench bench, Peer peer, int tasks, Duration longest) throws Exception {
    try (BenchDatabase database = bench.server().database();
        Peer.Queue queue = peer.open(database.url())) {
      queue.submit(tasks);
      database.execute("vacuum analyze");
      PeerDrain drain = new PeerDrain(tasks);
      queue.start(drain);
      return drain.rate(peer, database, queue.left(), longest);
    }
  }

  private double rate(Peer peer, BenchDatabase database, String left, Duration longest)
      throws SQLException, InterruptedException {
    if (!first.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
      throw stuck(peer, "none of %,d tasks started".formatted(tasks));
    }
    long deadline = began + longest.toNanos();
    last.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    while (true) {
      long done = tasks - database.number(left);
      long now = System.nanoTime();
      if (done == tasks || (now >= deadline && done > 0)) {
        return Drain.perSecond(done, Duration.ofNanos(now - began));
      }
      if (now - began > PATIENCE.toNanos()) {
        throw stuck(peer, "none of %,d tasks ended".formatted(tasks));
      }
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  /** Without a lock: hundreds of handlers may be here at once. */
  @Override
  public void run() {
    int number = ran.incrementAndGet();
    if (number == 1) {
      began = System.nanoTime();
      first.countDown();
    }
    if (number == tasks) {
      last.countDown();
    }
  }

  private static IllegalStateException stuck(Peer peer, String what) {
    return new IllegalStateException(
        "%s does not run: %s within %d s".formatted(peer.name(), what, PATIENCE.toSeconds()));
  }
}
