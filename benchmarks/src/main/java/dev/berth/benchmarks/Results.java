package dev.berth.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What scenarios found that ran one after the other on one server. */
public final class Results {

  static final String PAGE = "performance.md";
  static final String PLOT = "performance.svg";
  static final String HTML = "performance.html";

  private final Server server;
  private final Size size;
  private final List<Report> reports;
  private final Map<String, String> failed;
  private final Map<String, String> skipped;
  private final Duration took;

  /**
   * Puts them together.
   *
   * @param failed the scenarios that failed, and why
   * @param skipped those that cannot run here, and why
   * @param took for all of them
   */
  public Results(
      Server server,
      Size size,
      List<Report> reports,
      Map<String, String> failed,
      Map<String, String> skipped,
      Duration took) {
    this.server = server;
    this.size = size;
    this.reports = List.copyOf(reports);
    this.failed = new LinkedHashMap<>(failed);
    this.skipped = new LinkedHashMap<>(skipped);
    this.took = took;
  }

  Server server() {
    return server;
  }

  Size size() {
    return size;
  }

  List<Report> reports() {
    return reports;
  }

  /** The names of the scenarios that failed, and why. */
  public Map<String, String> failed() {
    return failed;
  }

  Map<String, String> skipped() {
    return skipped;
  }

  Duration took() {
    return took;
  }

  /** The name of the scenario, or of several. */
  String name() {
    List<String> names = new ArrayList<>();
    reports.forEach(report -> names.add(report.scenario().name()));
    names.addAll(failed.keySet());
    names.addAll(skipped.keySet());
    return names.size() == Scenario.all().size() ? "all" : String.join(" ", names);
  }

  /** Of all scenarios. */
  Collection<Finding> ratios() {
    return reports.stream().flatMap(report -> report.ratios().stream()).toList();
  }

  /** The same for programs, in the form of one scenario: figures stand under its name. */
  public Map<String, Object> content() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("server", server.describe());
    figures.put("machine", Machine.here().toString());
    figures.put("took", Text.time(took));
    figures.put("noisy", reports.stream().anyMatch(Report::noisy));
    figures.put("failed", failed);
    figures.put("left_out", skipped);
    reports.forEach(
        report -> figures.put(report.scenario().name(), report.content().get("figures")));
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("scenario", name());
    object.put("ratios", Report.medians(ratios()));
    object.put("figures", figures);
    return object;
  }

  /** All ratios in one table, and what failed. */
  public void print(PrintWriter out) {
    Report.table("ratio", reports.stream().flatMap(report -> report.compared().stream()).toList())
        .print(out);
    out.println();
    long met = targets().stream().filter(target -> !target.missed()).count();
    out.println(
        "%d scenarios in %s: %d of %d targets met."
            .formatted(reports.size(), Text.time(took), met, targets().size()));
    skipped.forEach((name, why) -> out.println("%s was left out: %s".formatted(name, why)));
    failed.forEach((name, why) -> out.println("%s failed: %s".formatted(name, why)));
    out.flush();
  }

  /** All that has a target. */
  List<Finding> targets() {
    return reports.stream()
        .flatMap(report -> report.compared().stream())
        .filter(finding -> finding.target() != null)
        .toList();
  }

  /** The names of what missed its target; the tiny size asks only whether scenarios work. */
  public List<String> missed() {
    return size == Size.TINY
        ? List.of()
        : targets().stream().filter(Finding::missed).map(Finding::name).toList();
  }

  /**
   * Writes a page for people, its plot, and both for browsers into this folder; returns the page.
   */
  public Path write(Path folder) {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(PLOT), new PerformancePlot(this).svg());
      Files.writeString(folder.resolve(HTML), new PerformanceHtml(this).text());
      return Files.writeString(folder.resolve(PAGE), new PerformancePage(this).text());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The report could not be written into %s: %s".formatted(folder, e.getMessage()), e);
    }
  }
}
