package dev.berth.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the statements of an exchange read while a million tasks wait: the plans themselves, and a
 * failure where one reads a table that grows from end to end, or more rows than its tasks explain.
 */
public final class PlansScenario implements Scenario {

  private final @Nullable Path directory;

  PlansScenario() {
    this(null);
  }

  private PlansScenario(@Nullable Path directory) {
    this.directory = directory;
  }

  /** The same, and the plans are written into files there. */
  public PlansScenario into(Path folder) {
    return new PlansScenario(folder);
  }

  @Override
  public String name() {
    return "plans";
  }

  @Override
  public String about() {
    return "The plans of exchanges while many tasks wait, and how much they read, beside few.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int few = bench.size().of(10_000, 30_000, 30_000); // enough for all exchanges
    int many = bench.size().of(20_000, 200_000, 1_000_000);
    report.fact("waiting", "%,d tasks of %d types".formatted(many, PlanFilling.TYPES));
    if (directory != null) {
      report.fact("plans", "in " + directory);
    }
    List<String> faults = new ArrayList<>();
    for (PlanFilling filling : PlanFilling.values()) {
      List<PlanSheet> beside = sheets(bench, filling, few);
      List<PlanSheet> sheets = sheets(bench, filling, many);
      for (int i = 0; i < sheets.size(); i++) {
        tell(report, beside.get(i), sheets.get(i), few);
        faults.addAll(sheets.get(i).faults());
        if (directory != null) {
          write(directory, sheets.get(i), bench.server().describe());
        }
      }
    }
    if (!faults.isEmpty()) {
      throw new IllegalStateException(String.join(".\n", faults));
    }
  }

  private static List<PlanSheet> sheets(Bench bench, PlanFilling filling, int tasks)
      throws Exception {
    bench.say("%s: submitting %,d tasks".formatted(filling.label(), tasks));
    try (BenchDatabase database = bench.server().database()) {
      filling.fill(database, tasks);
      List<PlanSheet> sheets =
          new PlanExchanges(database, filling, tasks, bench.size().of(3, 8, 8)).all();
      for (PlanSheet sheet : sheets) {
        bench.say(
            "%s: %s rows and %s pages for an exchange"
                .formatted(
                    sheet.title(),
                    Text.number(sheet.rowsPerExchange()),
                    Text.number(sheet.pages())));
      }
      return sheets;
    }
  }

  private static void tell(Report report, PlanSheet few, PlanSheet many, int tasks) {
    String name = many.title().replace('-', '_');
    if (many.claimed() > 0) {
      report.ratio(
          "rows_" + name,
          Samples.of(many.rowsPerTask()),
          Target.atMost(PlanSheet.MOST_ROWS_PER_TASK),
          "rows read for each task claimed");
    }
    report.ratio(
        "pages_" + name,
        Samples.of(many.pages() / few.pages()),
        Target.atMost(2),
        "pages touched by an exchange / with %,d tasks waiting".formatted(tasks));
    report.figure(name + "_pages", "pages", Samples.of(many.pages()), "one exchange, the median");
    report.figure(name + "_rows", "rows", Samples.of(many.rowsPerExchange()), "");
  }

  private static void write(Path folder, PlanSheet sheet, String server) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(sheet.title() + ".txt"), sheet.text(server));
  }
}
