package dev.berth.benchmarks;

import dev.berth.task.Retention;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The same work through Berth, through other task queues, and through plain SQL. */
final class PeersScenario implements Scenario {

  private static final Peer BERTH = new BerthPeer("Berth", Retention.DEFAULT);
  private static final Peer NO_HISTORY = new BerthPeer("Berth without history", Retention.NONE);
  private static final String RAW = "raw SQL";
  private static final int RAW_BATCH = BerthPeer.BATCH;
  private static final int RAW_CONNECTIONS = 4;
  private static final Duration TIME = Duration.ofSeconds(12);
  private static final Duration WARM_UP = Duration.ofSeconds(8);

  private final List<Peer> peers;

  PeersScenario() {
    this.peers =
        ServiceLoader.load(Peer.class).stream()
            .map(ServiceLoader.Provider::get)
            .sorted(Comparator.comparing(Peer::aboutPerSecond).reversed())
            .toList();
  }

  @Override
  public String name() {
    return "peers";
  }

  @Override
  public String about() {
    return "No-op tasks through one worker of Berth, beside other task queues and raw SQL.";
  }

  @Override
  public Optional<String> missing() {
    return peers.isEmpty()
        ? Optional.of(
            "The task queues to compare with are not part of the command: in the source tree of"
                + " Berth, ./berth bench peers fetches them with Maven and runs")
        : Optional.empty();
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    missing()
        .ifPresent(sentence -> {
          throw new IllegalStateException(sentence);
        });
    int tasks = bench.size().of(300, 40_000, 200_000);
    Rounds rounds = new Rounds(bench).variant(RAW, () -> raw(bench, tasks));
    drain(bench, rounds, BERTH);
    drain(bench, rounds, NO_HISTORY);
    bench.warmUp(WARM_UP, () -> rate(bench, BERTH, tasks(bench, BERTH)));
    rounds.run(bench.size().of(1, 2, 5), bench.size().of(1, 3, 5), TIME);
    Rounds others = new Rounds(bench);
    peers.forEach(peer -> drain(bench, others, peer));
    bench.warmUp(() -> warmUp(bench));
    others.run(bench.size().of(1, 1, 3));

    double ours = rounds.samples(BERTH.name()).median();
    for (Peer peer : peers) {
      report.ratio(
          "vs_" + key(peer),
          others.samples(peer.name()).map(theirs -> ours / theirs),
          null,
          "Berth's rate / " + peer.name() + "'s");
    }
    Peer best =
        peers.stream()
            .max(Comparator.comparing(peer -> others.samples(peer.name()).median()))
            .orElseThrow();
    report.ratio(
        "vs_best_peer",
        others.samples(best.name()).map(theirs -> ours / theirs),
        Target.atLeast(4),
        "the same for the fastest of them, " + best.name());
    report.ratio(
        "vs_raw_sql",
        rounds.ratio(BERTH.name(), RAW),
        Target.atLeast(0.5),
        "Berth's rate / raw SQL's with %d connections".formatted(RAW_CONNECTIONS));
    report.ratio(
        "vs_raw_sql_no_history",
        rounds.ratio(NO_HISTORY.name(), RAW),
        Target.atLeast(0.6),
        "the same of a type that keeps no history");
    tell(bench, report, rounds, BERTH);
    tell(bench, report, rounds, NO_HISTORY);
    peers.forEach(peer -> tell(bench, report, others, peer));
    report.figure(
        "raw_sql_per_s",
        "tasks/s",
        rounds.samples(RAW),
        "%,d tasks, claimed and deleted by %d".formatted(tasks, RAW_BATCH));
    pickUps(bench, report);
  }

  private static void drain(Bench bench, Rounds rounds, Peer peer) {
    rounds.variant(peer.name(), () -> rate(bench, peer, tasks(bench, peer)));
  }

  private static double rate(Bench bench, Peer peer, int tasks) throws Exception {
    return PeerDrain.rate(bench, peer, tasks, Duration.ofSeconds(bench.size().of(20, 8, 20)));
  }

  /**
   * Peers run longer than a moment; a part of the work is enough. In the quick form only the
   * fastest of them has the time to warm up: the others are far behind, and polling alone takes
   * them 5 s.
   */
  private void warmUp(Bench bench) throws Exception {
    for (Peer peer : bench.size() == Size.FULL ? peers : peers.subList(0, 1)) {
      rate(bench, peer, tasks(bench, peer) / 3);
    }
  }

  /** About as many as it runs in 2 or 5 seconds. */
  private static int tasks(Bench bench, Peer peer) {
    return bench
        .size()
        .of(
            Math.max(30, peer.aboutPerSecond() / 50),
            peer.aboutPerSecond() * 2,
            peer.aboutPerSecond() * (peer instanceof BerthPeer ? 10 : 5));
  }

  private static double raw(Bench bench, int tasks) throws Exception {
    try (BenchDatabase database = bench.server().database()) {
      return RawSql.rate(database, tasks, RAW_BATCH, RAW_CONNECTIONS);
    }
  }

  private static void tell(Bench bench, Report report, Rounds rounds, Peer peer) {
    report.fact(peer.name(), peer.settings());
    report.figure(
        key(peer) + "_per_s",
        "tasks/s",
        rounds.samples(peer.name()),
        "1 worker, %,d no-op tasks".formatted(tasks(bench, peer)));
  }

  /** Of those that need not poll for it: of others it would be the interval that is measured. */
  private void pickUps(Bench bench, Report report) throws Exception {
    int count = bench.size().of(5, 60, 400);
    int warmUp = bench.size().of(5, 250, 2_000);
    for (Peer peer : peers) {
      if (peer.startsAtOnce()) {
        bench.say("idle pick-up, beside " + peer.name());
        try (PeerPickUps ours = PeerPickUps.start(bench, BERTH, warmUp);
            PeerPickUps theirs = PeerPickUps.start(bench, peer, warmUp)) {
          Rounds rounds =
              new Rounds(bench)
                  .variant(BERTH.name(), () -> ours.median(count))
                  .variant(peer.name(), () -> theirs.median(count))
                  .run(bench.size().of(1, 2, 5));
          report.ratio(
              "pick_up_vs_" + key(peer),
              rounds.ratio(BERTH.name(), peer.name()),
              null,
              "p50 from submit to start on an idle queue, in one process / " + peer.name() + "'s");
          tell(report, rounds, BERTH, ours, Target.atMost(3), Target.atMost(10));
          tell(report, rounds, peer, theirs, null, null);
        }
      }
    }
  }

  private static void tell(
      Report report,
      Rounds rounds,
      Peer peer,
      PeerPickUps pickUps,
      @Nullable Target p50,
      @Nullable Target p99) {
    report.figure(
        key(peer) + "_p50_ms",
        "ms",
        rounds.samples(peer.name()),
        p50,
        "idle pick-up, " + peer.name());
    report.figure(key(peer) + "_p99_ms", "ms", pickUps.percentile(99), p99, "");
  }

  private static String key(Peer peer) {
    return peer.name().toLowerCase(Locale.ROOT).replace("without ", "no_").replaceAll("\\W", "_");
  }
}
