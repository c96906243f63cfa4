package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.postgres.PostgresStore;
import dev.berth.store.Claim;
import dev.berth.store.Submission;
import dev.berth.store.Submissions;
import dev.berth.task.Codec;
import dev.berth.task.Outcome;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskType;
import dev.berth.worker.Handler;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import dev.berth.worker.WorkerListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Workers on one database, in this process, each with a store of its own: they know nothing of each
 * other, as processes do. They live through all rounds, so that a round of half a second measures
 * the store, not the start of workers.
 */
final class Fleet implements AutoCloseable, WorkerListener {

  private static final int BATCH = 1_000;

  /** So long apart are two submits where a pace is slow enough for it. */
  private static final Duration TICK = Duration.ofMillis(20);

  private final Bench bench;
  private final BenchDatabase database;
  private final List<TaskType<NoOp, Void>> types;
  private final List<PostgresStore> stores = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final Submissions submissions = new Submissions(Codec.installed());
  private long inFlight;
  private long ended;
  private long runs;
  private Duration ran = Duration.ZERO;

  private Fleet(Bench bench, BenchDatabase database, List<TaskType<NoOp, Void>> types) {
    this.bench = bench;
    this.database = database;
    this.types = types;
  }

  /** Workers that handle these types. */
  static Fleet start(
      Bench bench,
      int workers,
      List<TaskType<NoOp, Void>> types,
      Handler<NoOp> handler,
      UnaryOperator<WorkerBuilder> settings)
      throws Exception {
    return start(bench, bench.server().database(), workers, types, handler, settings);
  }

  /** In this database, which the fleet closes. */
  private static Fleet start(
      Bench bench,
      BenchDatabase database,
      int workers,
      List<TaskType<NoOp, Void>> types,
      Handler<NoOp> handler,
      UnaryOperator<WorkerBuilder> settings)
      throws Exception {
    Fleet fleet = new Fleet(bench, database, types);
    try {
      for (int i = 0; i < workers; i++) {
        PostgresStore store = fleet.database.store();
        fleet.stores.add(store);
        WorkerBuilder builder = Berth.on(store).worker().name("bench-" + i).listener(fleet);
        types.forEach(type -> builder.handle(type, handler));
        fleet.workers.add(settings.apply(builder).start());
      }
      return fleet;
    } catch (RuntimeException e) {
      fleet.close();
      throw e;
    }
  }

  /** With default settings and a handler that does nothing. */
  static Fleet start(Bench bench, int workers, List<TaskType<NoOp, Void>> types) throws Exception {
    return start(bench, bench.server().database(), workers, types);
  }

  /** The same in this database, which the fleet closes. */
  static Fleet start(
      Bench bench, BenchDatabase database, int workers, List<TaskType<NoOp, Void>> types)
      throws Exception {
    return start(bench, database, workers, types, (payload, task) -> {}, builder -> builder);
  }

  /** What a report says of it. */
  static String describe(int workers) {
    return workers + " in one process, each with a store of its own";
  }

  double rate(int tasks) throws Exception {
    return rate(tasks, types.size());
  }

  /**
   * Tasks per second, of the first so many types in turn: from when the queue is opened until the
   * last outcome is durable. What takes too long is cut off, and the rate is that of what was done.
   */
  double rate(int tasks, int ofTypes) throws Exception {
    Berth berth = Berth.on(stores.getFirst());
    berth.queues().pause(TaskType.DEFAULT_QUEUE);
    submit(0, tasks, ofTypes);
    database.execute("vacuum analyze berth_private.task");
    long before = ended();
    long began = System.nanoTime();
    berth.queues().resume(TaskType.DEFAULT_QUEUE);
    long done = awaitEnded(before + tasks, began + longest().toNanos()) - before;
    double rate = Drain.perSecond(done, Duration.ofNanos(System.nanoTime() - began));
    if (done < tasks) {
      bench.say(
          "cut off after %d s: %,d of %,d tasks".formatted(longest().toSeconds(), done, tasks));
      clear(berth);
    }
    return rate;
  }

  /** How many tasks should have been submitted by then. */
  @FunctionalInterface
  interface Pace {
    long due(Duration sinceBegin, long ended);

    static Pace perSecond(double tasks) {
      return (sinceBegin, ended) -> (long) (tasks * sinceBegin.toNanos() / 1e9);
    }

    /** As fast as tasks end, so that there are always so many. */
    static Pace waiting(int tasks) {
      return (sinceBegin, ended) -> ended + tasks;
    }
  }

  /** What ended while submits went on, of how many, and of how many that were due. */
  record Steady(long due, long submitted, long ended, Duration time) {

    double perSecond() {
      return Drain.perSecond(ended, time);
    }

    /** When the time was over: in the queue, or at hand in a worker. */
    long waiting() {
      return submitted - ended;
    }
  }

  /** Submits for so long, of all types in turn, while the workers run what there is. */
  Steady steady(Duration time, Pace pace) throws InterruptedException {
    long before = ended();
    long began = System.nanoTime();
    long submitted = 0;
    while (true) {
      Duration passed = Duration.ofNanos(System.nanoTime() - began);
      long ended = ended() - before;
      long due = pace.due(passed, ended);
      if (passed.compareTo(time) >= 0) {
        return new Steady(due, submitted, ended, passed);
      }
      int missing = (int) Math.min(BATCH, due - submitted);
      if (missing > 0) {
        submit(submitted, missing, types.size());
        submitted += missing;
      }
      if (missing < BATCH) {
        TimeUnit.NANOSECONDS.sleep(TICK.toNanos());
      }
    }
  }

  /** How long a handler ran on average. */
  synchronized Duration meanRun() {
    return runs == 0 ? Duration.ZERO : ran.dividedBy(runs);
  }

  private Duration longest() {
    return Duration.ofSeconds(bench.size().of(60, 8, 60));
  }

  private void submit(long first, int tasks, int ofTypes) {
    List<Submission> batch = new ArrayList<>(BATCH);
    for (long number = first; number < first + tasks; number++) {
      TaskType<NoOp, Void> type = types.get((int) (number % ofTypes));
      batch.add(submissions.of(type, NoOp.of((int) number), SubmitOptions.DEFAULT));
      if (batch.size() == BATCH || number == first + tasks - 1) {
        stores.getFirst().submit(batch);
        batch.clear();
      }
    }
  }

  private void clear(Berth berth) throws SQLException, InterruptedException {
    berth.queues().pause(TaskType.DEFAULT_QUEUE);
    do {
      database.execute("delete from berth_private.task where state <> 'running'");
      TimeUnit.MILLISECONDS.sleep(20);
    } while (!idle() || database.number("select count(*) from berth_private.task") > 0);
  }

  @Override
  public synchronized void exchanged(int asked, int claimed, int handedIn, Duration took) {
    inFlight += claimed - handedIn;
    ended += handedIn;
    notifyAll();
  }

  @Override
  public synchronized void ended(Claim claim, Outcome outcome, Duration time) {
    runs++;
    ran = ran.plus(time);
  }

  private synchronized boolean idle() {
    return inFlight == 0;
  }

  private synchronized long ended() {
    return ended;
  }

  private synchronized long awaitEnded(long count, long deadline) throws InterruptedException {
    for (long left = deadline - System.nanoTime();
        ended < count && left > 0;
        left = deadline - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return ended;
  }

  /** To the database, beside the workers. */
  Connection connect() throws SQLException {
    return database.connect();
  }

  /** Ends the workers and their connections. The database is there until the fleet is closed. */
  void stop() {
    workers.forEach(Worker::close);
    workers.clear();
    stores.forEach(PostgresStore::close);
    stores.clear();
  }

  @Override
  public void close() throws SQLException {
    try (database) {
      stop();
    }
  }
}
