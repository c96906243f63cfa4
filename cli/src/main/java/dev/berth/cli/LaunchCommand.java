package dev.berth.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.postgres.LaunchOptions;
import dev.berth.postgres.PostgresStoreProvider;
import dev.berth.postgres.SqlTasks;
import dev.berth.task.TaskId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a statement a task. */
@Command(
    name = "launch",
    description = {
      "Launch a SQL task: the statement waits in the queue and runs in the database, with the"
          + " rights of the role that this command connects as.",
      "An administrator allows a role to launch with select berth.allow_launch('ROLE')."
    })
final class LaunchCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "STATEMENT",
      description = "The SQL, such as \"refresh materialized view sales\".")
  private String statement;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description = "A topic it is under; may be given several times, the strictest counts.")
  private @Nullable List<String> topics;

  @Option(
      names = "--no-transaction",
      description = "For statements that cannot run in one, such as VACUUM: at least once.")
  private boolean withoutTransaction;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Stop the statement after this time, such as PT5M.")
  private @Nullable Duration timeout;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      defaultValue = SqlTasks.QUEUE,
      description = "The queue (${DEFAULT-VALUE} by default).")
  private String queue;

  @Option(
      names = "--priority",
      paramLabel = "N",
      defaultValue = "5",
      description = "0 (last) to 9 (first), ${DEFAULT-VALUE} by default.")
  private int priority;

  @Mixin private StoreOptions store;
  @Mixin private Output output;

  @Override
  public Integer call() throws SQLException {
    LaunchOptions options = said(LaunchOptions.DEFAULT.queue(queue).priority(priority));
    // a launcher may not read the schema's version: so not through a store
    try (HikariDataSource pool = PostgresStoreProvider.pool(store.jdbcUrl());
        Connection connection = pool.getConnection()) {
      TaskId id = SqlTasks.launch(connection, statement, unchanged -> options);
      output.answer(
          Json.object().put("id", id.toString()).map(),
          out -> out.println("Launched as task " + id + "."));
      return 0;
    }
  }

  private LaunchOptions said(LaunchOptions options) {
    LaunchOptions said = topics == null ? options : options.topics(topics.toArray(String[]::new));
    said = withoutTransaction ? said.withoutTransaction() : said;
    return timeout == null ? said : said.timeout(timeout);
  }
}
