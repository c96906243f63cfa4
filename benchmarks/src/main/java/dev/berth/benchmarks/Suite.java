package dev.berth.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Scenarios one after the other on one server. One that fails does not stop the others. */
public final class Suite {

  /** Hears how far it is. */
  public interface Listener {

    void begins(Scenario scenario, int number, int of);

    void says(String line);

    void ends(Report report);

    /** It cannot run here. */
    void skips(Scenario scenario, String why);

    void fails(Scenario scenario, Exception why);
  }

  private final Server server;
  private final Size size;
  private final Listener listener;

  public Suite(Server server, Size size, Listener listener) {
    this.server = server;
    this.size = size;
    this.listener = listener;
  }

  public Results run(List<Scenario> chosen) throws InterruptedException {
    long began = System.nanoTime();
    Map<String, String> skipped = new LinkedHashMap<>();
    List<Scenario> scenarios = new ArrayList<>();
    for (Scenario scenario : chosen) {
      String why = scenario.missing().orElse("");
      if (why.isEmpty()) {
        scenarios.add(scenario);
      } else {
        skipped.put(scenario.name(), why);
        listener.skips(scenario, why);
      }
    }
    List<Report> reports = new ArrayList<>();
    Map<String, String> failed = new LinkedHashMap<>();
    Consumer<String> progress = listener::says;
    for (Scenario scenario : scenarios) {
      listener.begins(scenario, reports.size() + failed.size() + 1, scenarios.size());
      try {
        Report report = Bench.run(scenario, server, size, progress);
        reports.add(report);
        listener.ends(report);
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        if (Thread.interrupted()) {
          throw new InterruptedException("The run was stopped");
        }
        failed.put(scenario.name(), String.valueOf(e.getMessage()));
        listener.fails(scenario, e);
      }
    }
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    return new Results(server, size, reports, failed, skipped, took);
  }
}
