package dev.berth.benchmarks;

import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** A run as a page of Markdown, for people who do not know the code. */
final class PerformancePage {

  private final Results results;
  private final StringBuilder page = new StringBuilder();

  PerformancePage(Results results) {
    this.results = results;
  }

  String text() {
    heading();
    summary();
    machine();
    results.reports().forEach(this::scenario);
    return page.toString();
  }

  private void heading() {
    say("# Performance");
    say(
        "Measured by `%s` on %s, in %s. The page was written by that command: do not edit it."
            .formatted(command(results.name()), LocalDate.now(), Text.time(results.took())));
    say(
        """
        Look at the **ratios**. Each compares two things that were measured in the same run, in turns, round by round, so
        that it says the same on a slow machine and on a fast one. **Figures**, such as tasks a second, belong to the
        machine below. Every value is the median of its rounds; the *spread* is how far the rounds lie apart, as a part of
        the median. A run on a machine that was busy with other things says so.\
        """);
    say("![Ratios against their targets, and curves](%s)".formatted(Results.PLOT));
    say("The plot and the table, for browsers: [%1$s](%1$s).".formatted(Results.HTML));
  }

  private void summary() {
    say("## All in one table");
    long missed = results.targets().stream().filter(Finding::missed).count();
    long noisy = results.reports().stream().filter(Report::noisy).count();
    if (noisy > 0) {
      say(
          "**The machine was busy with other things** during %d of %d scenarios: take these values with care."
              .formatted(noisy, results.reports().size()));
    }
    say(
        "%d of %d targets are met."
            .formatted(results.targets().size() - missed, results.targets().size()));
    table(
        List.of("scenario", "ratio", "median:", "target", "", "what it compares"),
        results.reports().stream()
            .flatMap(report ->
                report.compared().stream()
                    .map(ratio ->
                        List.of(
                            "[%1$s](#%1$s)".formatted(report.scenario().name()),
                            code(ratio.name()),
                            (Text.number(ratio.median()) + " " + ratio.unit()).strip(),
                            target(ratio),
                            verdict(ratio),
                            ratio.means()))));
    results
        .skipped()
        .forEach((name, why) -> say("The scenario `%s` was left out: %s".formatted(name, why)));
    results
        .failed()
        .forEach((name, why) -> say("The scenario `%s` **failed**: %s".formatted(name, why)));
  }

  private void machine() {
    say("## The machine");
    Machine machine = Machine.here();
    Stream<List<String>> settings =
        results.server().settings().entrySet().stream()
            .map(setting -> List.of(code(setting.getKey()), setting.getValue()));
    table(
        List.of("what", "value"),
        Stream.concat(
            Stream.of(
                List.of("cores", "" + machine.cores()),
                List.of("memory", machine.memoryGb() + " GB"),
                List.of("system", machine.system()),
                List.of("JDK", machine.java()),
                List.of("database", results.server().name())),
            settings));
    say("The database server, the workers and whoever submits share the machine.");
    say("To repeat it, on a PostgreSQL that the command starts by itself or on another:");
    say(
        """
        ```
        %s
        %s
        ```\
        """
            .formatted(
                command(results.name()) + " --report docs",
                command(results.name()) + " --db postgres://USER:PASSWORD@HOST/DATABASE"));
  }

  private void scenario(Report report) {
    String name = report.scenario().name();
    say("## " + name);
    say(report.scenario().about() + " It took " + report.facts().get("took") + ".");
    report.facts().entrySet().stream()
        .filter(fact -> !Bench.FACTS.contains(fact.getKey()))
        .forEach(fact -> say("%s: %s.".formatted(capital(fact.getKey()), fact.getValue())));
    findings("ratio", report.ratios());
    findings("figure", report.figures());
    report.remarks().forEach(this::say);
    say("Again: `%s`".formatted(command(name)));
  }

  private void findings(String heading, Collection<Finding> findings) {
    if (findings.isEmpty()) {
      return;
    }
    table(
        List.of(heading, "median:", "", "spread:", "target", "", "what it is"),
        findings.stream()
            .map(each ->
                List.of(
                    code(each.name()),
                    Text.number(each.median()),
                    each.unit(),
                    each.spread(),
                    target(each),
                    verdict(each),
                    each.means())));
  }

  private String command(String scenario) {
    return "./berth bench " + scenario + (results.size() == Size.QUICK ? " --quick" : "");
  }

  private static String target(Finding finding) {
    return finding.target() == null ? "" : finding.target().symbol();
  }

  private static String verdict(Finding finding) {
    return finding.target() == null ? "" : finding.missed() ? "**missed**" : "met";
  }

  private static String code(String text) {
    return "`" + text + "`";
  }

  private static String capital(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  private void say(String paragraph) {
    page.append(page.isEmpty() ? "" : "\n").append(paragraph).append('\n');
  }

  /** A heading that ends with a colon stands over numbers. */
  private void table(List<String> headings, Stream<List<String>> rows) {
    StringBuilder table = new StringBuilder(row(headings.stream().map(PerformancePage::title)));
    table.append(row(headings.stream().map(heading -> heading.endsWith(":") ? "--:" : "---")));
    rows.forEach(cells -> table.append(row(cells.stream())));
    say(table.toString().stripTrailing());
  }

  private static String title(String heading) {
    return heading.endsWith(":") ? heading.substring(0, heading.length() - 1) : heading;
  }

  private static String row(Stream<String> cells) {
    StringBuilder row = new StringBuilder("|");
    cells.forEach(cell -> row.append(' ').append(cell.replace("|", "\\|")).append(" |"));
    return row.append('\n').toString();
  }
}
