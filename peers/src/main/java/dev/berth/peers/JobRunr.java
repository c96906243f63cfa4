package dev.berth.peers;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.benchmarks.Peer;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/** JobRunr: many workers, and the shortest interval it polls in. */
public final class JobRunr implements Peer {

  private static final int WORKERS = 100;
  private static final int CONNECTIONS = 20;

  /** It refuses a shorter one, but a worker that runs out of work looks for more by itself. */
  private static final Duration POLL = Duration.ofSeconds(5);

  @Override
  public String name() {
    return "JobRunr";
  }

  @Override
  public String settings() {
    return "8.7: %d workers, %d connections, polling every %d s"
        .formatted(WORKERS, CONNECTIONS, POLL.toSeconds());
  }

  @Override
  public int aboutPerSecond() {
    return 1_600;
  }

  @Override
  public boolean startsAtOnce() {
    return false;
  }

  @Override
  public Queue open(String url) {
    return new Jobs(Pool.open(url, CONNECTIONS));
  }

  /** What a task runs; JobRunr asks for it by its class and calls it by reflection. */
  public record Handler(Runnable what) implements JobRequestHandler<Payload> {

    @Override
    public void run(Payload payload) {
      what.run();
    }
  }

  private static final class Jobs implements Queue {

    private final HikariDataSource pool;
    private final JsonMapper json = new Jackson3JsonMapper();
    private final StorageProvider storage;
    private final JobRequestScheduler scheduler;
    private @Nullable BackgroundJobServer server;

    Jobs(HikariDataSource pool) {
      this.pool = pool;
      this.storage = SqlStorageProviderFactory.using(pool);
      storage.setJobMapper(new JobMapper(json));
      this.scheduler = new JobRequestScheduler(storage);
    }

    @Override
    public void submit(int tasks) {
      scheduler.enqueue(IntStream.range(0, tasks).mapToObj(Payload::of));
    }

    @Override
    public void start(Runnable handler) {
      Handler only = new Handler(handler);
      JobActivator activator =
          new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
              return type.cast(only);
            }
          };
      server =
          new BackgroundJobServer(
              storage,
              json,
              activator,
              usingStandardBackgroundJobServerConfiguration()
                  .andWorkerCount(WORKERS)
                  .andPollInterval(POLL));
      server.start();
    }

    @Override
    public String left() {
      return "select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'";
    }

    @Override
    public void close() {
      try (pool) {
        if (server != null) {
          server.stop();
        }
        storage.close();
      }
    }
  }
}
