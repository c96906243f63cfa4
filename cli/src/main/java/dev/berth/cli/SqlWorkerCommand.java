package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.config.BerthToml;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresUrl;
import dev.berth.postgres.RoleConnections;
import dev.berth.postgres.SqlOptions;
import dev.berth.postgres.SqlTasks;
import dev.berth.worker.FileTopics;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A worker for SQL tasks, until it is stopped. */
@Command(
    name = "sql",
    description = {
      "Run SQL tasks until it is stopped, with Ctrl-C or SIGTERM.",
      "Each runs on a connection of its own: logged in as a runner, which is a role without any"
          + " rights, or as the role that launched it."
    })
final class SqlWorkerCommand implements Callable<Integer> {

  private static final int PARALLEL = 20;

  @Option(
      names = "--runner",
      paramLabel = "URL",
      description = {
        "The database as the runner connects to it, such as",
        "postgres://berth_runner:PASSWORD@HOST/DATABASE.",
        "Otherwise that of the variable BERTH_RUNNER_DB, or runner under [sql] in the file."
      })
  private @Nullable String runner;

  @Option(
      names = "--launchers",
      paramLabel = "URL",
      description =
          "The database without a user: each task connects as the role that launched it, with the"
              + " passwords of the file ~/.pgpass. Needed for tasks without a transaction.")
  private @Nullable String launchers;

  @Option(
      names = "--reserve",
      paramLabel = "N",
      description =
          "How many connections of the server to leave to others at least. Otherwise"
              + " BERTH_RESERVE_CONNECTIONS, or reserve_connections under [sql] in the file, or 5.")
  private @Nullable Integer reserve;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description =
          "How many tasks at once in this process. Otherwise the setting max_concurrent_tasks, or "
              + PARALLEL
              + ".")
  private @Nullable Integer parallel;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "A queue to read, sql by default; may be given several times.")
  private @Nullable List<String> queues;

  @Mixin private StoreOptions store;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    BerthToml file = store.file();
    RoleConnections connections = connections(file);
    SqlOptions options =
        SqlOptions.DEFAULT.reserve(reserve(file)).topics(FileTopics.of(file.values()));
    try (CleanStop atTheEnd = new CleanStop();
        PostgresStore on = store.openStore();
        Berth berth = Berth.on(on);
        Worker worker = SqlTasks.on(on).runBy(builder(berth, file), connections, options).start()) {
      PlainWriter out = new PlainWriter(spec.commandLine().getOut());
      out.println("Running SQL tasks as " + worker.settings().name() + ".");
      out.flush();
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      // that is how it ends
    }
    return 0;
  }

  private WorkerBuilder builder(Berth berth, BerthToml file) {
    Map<String, String> settings = new HashMap<>(file.values());
    if (parallel != null) {
      settings.put("worker.max_concurrent_tasks", parallel.toString());
    }
    WorkerBuilder builder = berth.worker().maxConcurrentTasks(PARALLEL).settings(settings);
    if (queues != null) {
      queues.forEach(builder::queue);
    }
    return builder;
  }

  private RoleConnections connections(BerthToml file) {
    if (launchers != null) {
      return RoleConnections.launchers(PostgresUrl.jdbc(launchers));
    }
    return Optional.ofNullable(runner)
        .or(() -> ConfigOption.variable("BERTH_RUNNER_DB"))
        .or(file::sqlRunner)
        .map(PostgresUrl::jdbc)
        .map(RoleConnections::runner)
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "As whom do SQL tasks run? Name a runner with --runner, in BERTH_RUNNER_DB, or as"
                    + " runner under [sql] in "
                    + BerthToml.NAME
                    + "; or let each log in as its launcher with --launchers."));
  }

  private int reserve(BerthToml file) {
    if (reserve != null) {
      return reserve;
    }
    String said =
        ConfigOption.variable("BERTH_RESERVE_CONNECTIONS").or(file::sqlReserve).orElse("5");
    try {
      return Integer.parseInt(said.strip());
    } catch (NumberFormatException e) {
      throw new ParameterException(
          spec.commandLine(),
          "BERTH_RESERVE_CONNECTIONS must be a whole number, but it is \"" + said + "\".");
    }
  }
}
