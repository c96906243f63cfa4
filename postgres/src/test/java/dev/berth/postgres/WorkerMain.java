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
    try (Berth berth = Berth.open(arguments[0]);
        Worker worker = worker(berth, arguments).start();
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

  /** Runs naps; or, if a second argument says {@code limits}, work under limits. */
  private static WorkerBuilder worker(Berth berth, String[] arguments) {
    return arguments.length > 1 && arguments[1].equals("limits")
        ? LimitedWork.handle(berth.worker(), arguments[0])
        : berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take());
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
