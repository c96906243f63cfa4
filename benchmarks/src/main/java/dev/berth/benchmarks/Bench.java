package dev.berth.benchmarks;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** What a scenario runs on: a server, a size, and somebody to tell how far it is. */
public final class Bench {

  /** What every report says, of the machine and of the run. */
  static final Set<String> FACTS = Set.of("server", "machine", "size", "took");

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
    Machine machine = Machine.here();
    Report report = new Report(scenario);
    report.fact("server", server.describe());
    report.fact("machine", machine.toString());
    report.fact("size", size.name().toLowerCase(Locale.ROOT));
    Noise noise = Noise.watch(size);
    long began = System.nanoTime();
    scenario.run(new Bench(server, size, progress), report);
    noise.found().forEach(report::noisy);
    report.fact("took", Text.time(Duration.ofNanos(System.nanoTime() - began)));
    return report;
  }

  Server server() {
    return server;
  }

  Size size() {
    return size;
  }

  /** Something done for nothing, so that the JVM compiles and the server fills its caches. */
  @FunctionalInterface
  interface WarmUp {
    void run() throws Exception;
  }

  /** Left out where it is not speed that is looked at. */
  void warmUp(WarmUp warmUp) throws Exception {
    if (size != Size.TINY) {
      say("warming up");
      warmUp.run();
    }
  }

  /** Again and again for so long: a virtual machine that compiles on the side is not yet fast. */
  void warmUp(Duration time, WarmUp warmUp) throws Exception {
    warmUp(() -> {
      long until = System.nanoTime() + time.toNanos();
      do {
        warmUp.run();
      } while (System.nanoTime() < until);
    });
  }

  void say(String line) {
    progress.accept(line);
  }
}
