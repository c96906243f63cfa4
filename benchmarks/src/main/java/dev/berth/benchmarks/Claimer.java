package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.task.Outcome;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A worker reduced to its exchanges, so that nothing else is timed. */
final class Claimer {

  private static final int BATCH = 50;

  private final PostgresStore store;
  private final Session session;
  private long number;

  Claimer(PostgresStore store, List<TaskType<NoOp, Void>> types) {
    this.store = store;
    this.session =
        store.open(
            new SessionRequest(
                "bench",
                types.stream().map(Claimer::handled).toList(),
                List.of(TaskType.DEFAULT_QUEUE),
                Duration.ofMinutes(10),
                1_000));
  }

  private static SessionRequest.Handled handled(TaskType<NoOp, Void> type) {
    return new SessionRequest.Handled(
        type.name(), type.retention(), type.maxCrashes(), type.limits().rules(type.name()));
  }

  /** Milliseconds of an exchange that hands in a batch and claims the next, of this type. */
  double claims(TaskType<NoOp, Void> type, int exchanges) {
    NoOp.submit(Berth.on(store), type, exchanges * BATCH);
    List<Double> times = new ArrayList<>();
    List<Ended> ended = List.of();
    do {
      long began = System.nanoTime();
      List<Claim> claims = exchange(ended, BATCH);
      if (ended.size() == BATCH && claims.size() == BATCH) {
        times.add((System.nanoTime() - began) / 1e6);
      }
      ended =
          claims.stream()
              .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
              .toList();
    } while (!ended.isEmpty());
    return new Samples(times).median();
  }

  /** Milliseconds of an exchange that finds nothing. */
  double looks(int exchanges) {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < exchanges; i++) {
      long began = System.nanoTime();
      exchange(List.of(), BATCH);
      times.add((System.nanoTime() - began) / 1e6);
    }
    return new Samples(times).median();
  }

  /** Claims tasks and keeps them. */
  int hold(int tasks) {
    return exchange(List.of(), tasks).size();
  }

  private List<Claim> exchange(List<Ended> ended, int claims) {
    number++;
    return switch (store.exchange(
        new ExchangeRequest(
            session.id(), number, ended, claims, List.of(TaskType.DEFAULT_QUEUE)))) {
      case Exchanged.Done done -> done.claims();
      case Exchanged.SessionLost lost ->
          throw new IllegalStateException("The session of the benchmark expired");
    };
  }
}
