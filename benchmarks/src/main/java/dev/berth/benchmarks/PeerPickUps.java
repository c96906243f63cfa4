package dev.berth.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** How soon a task starts that the worker's own process submits while nothing else is to do. */
final class PeerPickUps implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;
  private static final int PAUSE_MS = 20;

  private final Peer peer;
  private final BenchDatabase database;
  private final Peer.Queue queue;
  private final BlockingQueue<Long> started = new LinkedBlockingQueue<>();
  private final SplittableRandom random = new SplittableRandom(PAUSE_MS);
  private final List<Double> all = new ArrayList<>();

  private PeerPickUps(Peer peer, BenchDatabase database, Peer.Queue queue) {
    this.peer = peer;
    this.database = database;
    this.queue = queue;
  }

  /** Starts its worker, which stays for all rounds. */
  static PeerPickUps start(Bench bench, Peer peer, int warmUp) throws Exception {
    BenchDatabase database = bench.server().database();
    PeerPickUps pickUps = new PeerPickUps(peer, database, peer.open(database.url()));
    pickUps.queue.start(() -> pickUps.started.add(System.nanoTime()));
    for (int i = 0; i < warmUp; i++) {
      pickUps.one();
    }
    return pickUps;
  }

  /** The median in milliseconds, from before the submit. */
  double median(int count) throws Exception {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Thread.sleep(random.nextLong(PAUSE_MS / 2, PAUSE_MS * 2));
      times.add(one());
    }
    all.addAll(times);
    return new Samples(times).median();
  }

  /** Over all rounds. */
  Samples percentile(double percent) {
    return Samples.of(new Samples(all).percentile(percent));
  }

  private double one() throws Exception {
    long began = System.nanoTime();
    queue.submit(1);
    Long at = started.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (at == null) {
      throw new IllegalStateException(
          "%s does not run: a task did not start within %d s"
              .formatted(peer.name(), PATIENCE_SECONDS));
    }
    return (at - began) / 1e6;
  }

  @Override
  public void close() throws Exception {
    try (database) {
      queue.close();
    }
  }
}
