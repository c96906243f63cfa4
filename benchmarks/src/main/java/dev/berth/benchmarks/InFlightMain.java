package dev.berth.benchmarks;

import dev.berth.Berth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A worker process with many sleeping handlers at once. Arguments: tasks, ms, in flight. */
final class InFlightMain {

  private InFlightMain() {}

  public static void main(String[] arguments) throws Exception {
    int tasks = Integer.parseInt(arguments[0]);
    long millis = Long.parseLong(arguments[1]);
    int inFlight = Integer.parseInt(arguments[2]);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger peak = new AtomicInteger();
    try (Berth berth = Berth.open(ChildJvm.database())) {
      Drain.Drained drained =
          Drain.of(
              berth,
              NoOp.TYPE,
              tasks,
              (payload, task) -> {
                peak.accumulateAndGet(running.incrementAndGet(), Math::max);
                Thread.sleep(millis);
                running.decrementAndGet();
              },
              builder -> builder.maxConcurrentTasks(inFlight));
      ChildJvm.say("seconds", drained.time().toNanos() / 1e9);
      ChildJvm.say("peak", peak.get());
      ChildJvm.say("resident_mb", residentMb());
    }
  }

  /** The most memory this process ever had, with everything outside the heap; 0 if unknown. */
  private static double residentMb() throws IOException {
    Path status = Path.of("/proc/self/status");
    List<String> lines = Files.exists(status) ? Files.readAllLines(status) : List.of();
    return lines.stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1_024)
        .findFirst()
        .orElse(0);
  }
}
