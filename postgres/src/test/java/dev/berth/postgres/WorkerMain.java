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

  private WorkerMain() {}

  public static void main(String[] arguments) throws Exception {
    PostgresStore store = PostgresStoreProvider.open(arguments[0], PostgresOptions.DEFAULT);
    try (Berth berth = Berth.on(store);
        Worker worker = worker(berth, store, arguments).start();
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
   * Runs naps; or, if a second argument says {@code limits}, work under limits; with the URL of a
   * runner as the second argument SQL tasks as well.
   */
  private static WorkerBuilder worker(Berth berth, PostgresStore store, String[] arguments) {
    WorkerBuilder builder = berth.worker();
    if (arguments.length > 1 && arguments[1].equals("limits")) {
      return LimitedWork.handle(builder, arguments[0]);
    }
    builder = builder.handle(Nap.TYPE, (nap, task) -> nap.take());
    return arguments.length > 1
        ? SqlTasks.on(store).runBy(builder, RoleConnections.runner(arguments[1]))
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
