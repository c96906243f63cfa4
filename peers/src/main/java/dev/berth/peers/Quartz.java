package dev.berth.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.benchmarks.Peer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz, clustered: many threads, triggers acquired by batch, one trigger for each task. */
public final class Quartz implements Peer {

  private static final int THREADS = 100;

  /** Far fewer than threads: all of them wait for one locked row, the more the slower. */
  private static final int CONNECTIONS = 20;

  /** Schedulers and pools are known by name to the whole process. */
  private static final AtomicInteger NAMES = new AtomicInteger();

  @Override
  public String name() {
    return "Quartz";
  }

  @Override
  public String settings() {
    return "2.5.2: JDBC store, clustered, %d threads, acquiring up to %d at once, %d connections"
        .formatted(THREADS, THREADS, CONNECTIONS);
  }

  @Override
  public int aboutPerSecond() {
    return 230;
  }

  @Override
  public boolean startsAtOnce() {
    return false;
  }

  @Override
  public Queue open(String url) throws Exception {
    HikariDataSource pool = Pool.open(url, CONNECTIONS);
    Pool.execute(pool, Pool.resource(JobStoreTX.class, "tables_postgres.sql"));
    return new Triggers(pool);
  }

  /** Only its name is stored; what runs is made by the scheduler's job factory. */
  static final class NoOp implements Job {

    @Override
    public void execute(JobExecutionContext context) {}
  }

  private static final class Triggers implements Queue {

    private final Scheduler scheduler;

    Triggers(HikariDataSource pool) throws SchedulerException {
      String name = "peers_" + NAMES.incrementAndGet();
      DBConnectionManager.getInstance().addConnectionProvider(name, new Connections(pool));
      this.scheduler = new StdSchedulerFactory(settings(name)).getScheduler();
    }

    private static Properties settings(String name) {
      Properties settings = new Properties();
      String scheduler = "org.quartz.scheduler.";
      String store = "org.quartz.jobStore.";
      settings.putAll(
          Map.of(
              scheduler + "instanceName",
              name,
              scheduler + "instanceId",
              "AUTO",
              scheduler + "batchTriggerAcquisitionMaxCount",
              String.valueOf(THREADS),
              "org.quartz.threadPool.threadCount",
              String.valueOf(THREADS),
              store + "class",
              JobStoreTX.class.getName(),
              store + "driverDelegateClass",
              "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate",
              store + "dataSource",
              name,
              store + "isClustered",
              "true",
              // what waits longer than this is rescheduled first
              store + "misfireThreshold",
              "3600000",
              // asked for where several are acquired at once
              store + "acquireTriggersWithinLock",
              "true"));
      return settings;
    }

    @Override
    public void submit(int tasks) throws SchedulerException {
      JobDetail job = JobBuilder.newJob(NoOp.class).withIdentity("no_op").storeDurably().build();
      scheduler.scheduleJobs(
          Map.of(
              job,
              IntStream.range(0, tasks)
                  .mapToObj(number -> trigger(job, number))
                  .collect(Collectors.toSet())),
          true);
    }

    private static Trigger trigger(JobDetail job, int number) {
      Payload payload = Payload.of(number);
      return TriggerBuilder.newTrigger()
          .withIdentity("no_op_" + number)
          .forJob(job)
          .usingJobData("number", payload.number())
          .usingJobData("text", payload.text())
          .startNow()
          .build();
    }

    @Override
    public void start(Runnable handler) throws SchedulerException {
      scheduler.setJobFactory((fired, by) -> context -> handler.run());
      scheduler.start();
    }

    @Override
    public String left() {
      return "select (select count(*) from qrtz_triggers) + (select count(*) from"
          + " qrtz_fired_triggers)";
    }

    /** Lets it end what it has begun, or it complains; closes the connections too. */
    @Override
    public void close() throws SchedulerException, InterruptedException {
      scheduler.standby();
      while (!scheduler.getCurrentlyExecutingJobs().isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      scheduler.shutdown(true);
    }
  }

  private record Connections(HikariDataSource pool) implements ConnectionProvider {

    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void shutdown() {
      pool.close();
    }

    @Override
    public void initialize() {}
  }
}
