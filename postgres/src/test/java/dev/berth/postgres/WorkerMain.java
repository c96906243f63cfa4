package dev.berth.postgres;

import dev.berth.Berth;
import dev.berth.worker.Worker;
import dev.berth.worker.WorkerBuilder;
import dev.berth.worker.WorkerStats;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A worker in a process of its own, started by {@link WorkerProcess}. It answers lines on standard
 * input, and ends with it, so that it never outlives the tests.
 *
 * <p>Settings of the worker come from the environment, as they do in production.
 */
final class WorkerMain {

  /** The variable with the URL. */
  static final String DATABASE = "BERTH_DB";

  private WorkerMain() {}

  public static void main(String[] arguments) throws Exception {
    String url = System.getenv(DATABASE);
    PostgresStore store = PostgresStoreProvider.open(url, PostgresOptions.DEFAULT);
    try (Berth berth = Berth.on(store);
        Worker worker = worker(berth, store, url, arguments).start();
        BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("up");
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        switch (line) {
          case "stats" -> System.out.println(line(worker.stats()));
          case "stop" -> {
            worker.stop();
            System.out.println("stopped");
            return;
          }
          default -> throw new IllegalArgumentException("Unknown command " + line);
        }
      }
    }
  }

  /**
   * Runs naps and takes parcels; or, if an argument says {@code limits}, work under limits; with
   * the role of a runner as the argument SQL tasks as well.
   */
  private static WorkerBuilder worker(
      Berth berth, PostgresStore store, String url, String[] arguments) {
    WorkerBuilder builder = berth.worker();
    if (arguments.length > 0 && arguments[0].equals("limits")) {
      return LimitedWork.handle(builder, url);
    }
    builder =
        builder
            .handle(Nap.TYPE, (nap, task) -> nap.take())
            .handle(Parcel.TYPE, (parcel, task) -> {});
    return arguments.length > 0
        ? SqlTasks.on(store).runBy(builder, RoleConnections.runner(Sql.as(arguments[0], url)))
        : builder;
  }

  private static String line(WorkerStats stats) {
    Map<String, Number> numbers =
        Map.of(
            "inFlight", stats.inFlight(),
            "finished", stats.finished(),
            "staleOutcomes", stats.staleOutcomes(),
            "sessionsLost", stats.sessionsLost());
    return numbers.toString();
  }
}
