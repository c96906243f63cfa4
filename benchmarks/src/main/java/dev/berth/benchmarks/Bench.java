package dev.berth.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.function.Consumer;

/** What a scenario runs on: a server, a size, and somebody to tell how far it is. */
public final class Bench {

  /** Of the cores, how many may be busy with something else before the run is called noisy. */
  private static final double BUSY_PART = 0.5;

  private final Server server;
  private final Size size;
  private final Consumer<String> progress;

  private Bench(Server server, Size size, Consumer<String> progress) {
    this.server = server;
    this.size = size;
    this.progress = progress;
  }

  /** Runs one scenario. */
  public static Report run(Scenario scenario, Server server, Size size, Consumer<String> progress)
      throws Exception {
    Report report = new Report(scenario.name());
    report.fact("server", server.describe());
    report.fact(
        "machine",
        "%d cores, Java %s"
            .formatted(Runtime.getRuntime().availableProcessors(), Runtime.version().feature()));
    report.fact("size", size.name().toLowerCase(Locale.ROOT));
    double load = load();
    if (load > BUSY_PART * Runtime.getRuntime().availableProcessors()) {
      report.noisy("the load was %s before the run".formatted(Text.number(load)));
    }
    scenario.run(new Bench(server, size, progress), report);
    return report;
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  Server server() {
    return server;
  }

  Size size() {
    return size;
  }

  void say(String line) {
    progress.accept(line);
  }
}
