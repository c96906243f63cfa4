package dev.berth.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.berth.benchmarks.Peer;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** db-scheduler: many threads, which take what one statement has locked for them. */
public final class DbScheduler implements Peer {

  private static final int THREADS = 100;

  /** Nearly one for each thread: commits that come together are written together. */
  private static final int CONNECTIONS = 80;

  private static final int BATCH = 5_000;

  @Override
  public String name() {
    return "db-scheduler";
  }

  @Override
  public String settings() {
    return "16.12: lock-and-fetch, %d threads, %d connections, immediate execution"
        .formatted(THREADS, CONNECTIONS);
  }

  @Override
  public int aboutPerSecond() {
    return 7_500;
  }

  @Override
  public boolean startsAtOnce() {
    return true;
  }

  @Override
  public Queue open(String url) throws Exception {
    HikariDataSource pool = Pool.open(url, CONNECTIONS);
    Pool.execute(pool, Pool.resource(DbScheduler.class, "db_scheduler.sql"));
    return new Scheduled(pool);
  }

  private static final class Scheduled implements Queue {

    private final HikariDataSource pool;
    private final OneTimeTask<Payload> task;
    private final Scheduler scheduler;
    private volatile Runnable handler = () -> {};
    private int number;

    Scheduled(HikariDataSource pool) {
      this.pool = pool;
      this.task = Tasks.oneTime("no_op", Payload.class).execute((instance, now) -> handler.run());
      this.scheduler =
          Scheduler.create(pool, task)
              .threads(THREADS)
              .pollUsingLockAndFetch(0.5, 4.0)
              .pollingInterval(Duration.ofMillis(100))
              .enableImmediateExecution()
              .build();
    }

    @Override
    public void submit(int tasks) {
      if (tasks == 1) {
        scheduler.schedule(next(), Instant.now());
        return;
      }
      for (int left = tasks; left > 0; left -= BATCH) {
        scheduler.scheduleBatch(
            Stream.<TaskInstance<?>>generate(this::next).limit(Math.min(left, BATCH)),
            Instant.now());
      }
    }

    private TaskInstance<Payload> next() {
      number++;
      return task.instance(String.valueOf(number), Payload.of(number));
    }

    @Override
    public void start(Runnable run) {
      handler = run;
      scheduler.start();
    }

    @Override
    public String left() {
      return "select count(*) from scheduled_tasks";
    }

    @Override
    public void close() {
      try (pool) {
        scheduler.stop();
      }
    }
  }
}
