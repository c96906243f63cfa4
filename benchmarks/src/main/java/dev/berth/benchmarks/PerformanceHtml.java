package dev.berth.benchmarks;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A run as one page for browsers that needs nothing else: the plot, and all ratios against their
 * targets. It follows the reader's choice of a light or a dark screen, as the plot does.
 */
record PerformanceHtml(Results results) {

  /** By elements, since the classes of the plot are known here too. */
  private static final String STYLE =
      """
      :root{color-scheme:light dark}
      body{margin:0;background:#fff;color:#1f2933;
      font:15px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
      main{max-width:960px;margin:0 auto;padding:24px 16px 48px}
      h1{font-size:26px;margin:0 0 8px}h2{font-size:19px;margin:32px 0 8px}p{margin:0 0 16px}
      svg{display:block;max-width:100%;height:auto}
      div{overflow-x:auto}
      table{border-collapse:collapse;width:100%;font-size:14px;line-height:1.4}
      th,td{padding:6px 10px;border-bottom:1px solid #dfe4ea;text-align:left;vertical-align:top}
      th{color:#52606d}td:nth-child(3),th:nth-child(3){text-align:right}
      td:nth-child(3),td:nth-child(4){white-space:nowrap}td:last-child{min-width:240px}
      code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
      b{color:#b3261e}i{color:#23714a;font-style:normal}
      @media (prefers-color-scheme:dark){
      body{background:#0c1014;color:#e8edf2}th,td{border-color:#323d49}th{color:#a3b0bd}
      b{color:#ff9a8a}i{color:#6fd3a0}}
      """;

  String text() {
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Berth: performance</title>
    <style>
    %s</style>
    </head>
    <body>
    <main>
    <h1>Performance</h1>
    <p>A ratio compares two things that were measured in the same run, in turns, so that it says the same on a slow
    machine and on a fast one. More, with all figures and the machine, is in <code>%s</code>, written by the same run.</p>
    %s<h2>All in one table</h2>
    %s<div>
    <table>
    <thead><tr><th>scenario</th><th>ratio</th><th>median</th><th>target</th><th></th><th>what it compares</th></tr></thead>
    <tbody>
    %s
    </tbody>
    </table>
    </div>
    </main>
    </body>
    </html>
    """
        .formatted(STYLE, Results.PAGE, new PerformancePlot(results).svg(), summary(), rows());
  }

  private String summary() {
    long missed = results.targets().stream().filter(Finding::missed).count();
    long noisy = results.reports().stream().filter(Report::noisy).count();
    Stream<String> busy =
        noisy == 0
            ? Stream.of()
            : Stream.of(
                "The machine was busy with other things during %d of %d scenarios: take these values with care."
                    .formatted(noisy, results.reports().size()));
    Stream<String> met =
        Stream.of(
            "%d of %d targets are met."
                .formatted(results.targets().size() - missed, results.targets().size()));
    Stream<String> skipped =
        results.skipped().entrySet().stream()
            .map(each ->
                "The scenario %s was left out: %s".formatted(each.getKey(), each.getValue()));
    Stream<String> failed =
        results.failed().entrySet().stream()
            .map(each -> "The scenario %s failed: %s".formatted(each.getKey(), each.getValue()));
    return Stream.of(busy, met, skipped, failed)
        .flatMap(sentences -> sentences)
        .map(sentence -> "<p>%s</p>\n".formatted(escaped(sentence)))
        .collect(Collectors.joining());
  }

  private String rows() {
    return results.reports().stream()
        .flatMap(
            report -> report.compared().stream().map(found -> row(report.scenario().name(), found)))
        .collect(Collectors.joining("\n"));
  }

  private static String row(String scenario, Finding found) {
    return "<tr><td>%s</td><td><code>%s</code></td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>"
        .formatted(
            escaped(scenario),
            escaped(found.name()),
            escaped((Text.number(found.median()) + " " + found.unit()).strip()),
            found.target() == null ? "" : found.target().symbol(),
            found.target() == null ? "" : found.missed() ? "<b>missed</b>" : "<i>met</i>",
            escaped(found.means()));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
