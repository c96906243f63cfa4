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

  static final int BATCH = 50;

  /** So many looks in vain, one after the other, and the rest of the tasks counts as lost. */
  private static final int PATIENCE = 1_000;

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

  /**
   * Milliseconds of an exchange that hands in a batch and claims the next, of this type. Where no
   * batch is ever full, it is what so many tasks took.
   */
  double claims(TaskType<NoOp, Void> type, int exchanges) {
    return claims(type, exchanges, (berth, tasks) -> NoOp.submit(berth, type, tasks));
  }

  /** Submits so many tasks. */
  @FunctionalInterface
  interface Submits {
    void submit(Berth berth, int tasks);
  }

  double claims(TaskType<NoOp, Void> type, int exchanges, Submits submits) {
    int tasks = exchanges * BATCH;
    submits.submit(Berth.on(store), tasks);
    List<Double> times = new ArrayList<>();
    List<Ended> ended = List.of();
    int done = 0;
    double spent = 0;
    for (int empty = 0; (done < tasks && empty < PATIENCE) || !ended.isEmpty(); ) {
      long began = System.nanoTime();
      List<Claim> claims = exchange(ended, empty < PATIENCE ? Math.min(BATCH, tasks - done) : 0);
      double took = (System.nanoTime() - began) / 1e6;
      spent += took;
      if (ended.size() == BATCH && claims.size() == BATCH) {
        times.add(took);
      }
      done += claims.size();
      empty = claims.isEmpty() ? empty + 1 : 0;
      ended =
          claims.stream()
              .map(claim -> new Ended(claim.lease(), new Outcome.Finished(null)))
              .toList();
    }
    if (done < tasks) {
      throw new IllegalStateException(
          "Only %d of %d tasks of type %s were found".formatted(done, tasks, type));
    }
    return times.isEmpty() ? spent / exchanges : new Samples(times).median();
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

  /** One exchange, as a worker makes it. */
  List<Claim> exchange(List<Ended> ended, int claims) {
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
