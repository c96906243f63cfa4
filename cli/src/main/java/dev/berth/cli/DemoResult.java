package dev.berth.cli;

import java.io.PrintWriter;
import java.util.List;

/** What became of a demo, as a table and as JSON. */
record DemoResult(
    DemoSnapshot end, List<DemoPart<?>> parts, List<DemoLimit> limits, DemoTally tally) {

  boolean complete() {
    return end.finished() == end.tasks();
  }

  void print(PrintWriter out, String where) {
    Table table =
        new Table()
            .text("TASK TYPE")
            .number("SUBMITTED")
            .number("FINISHED")
            .number("RETRIED")
            .number("FAILED")
            .number("WAIT P50")
            .number("WAIT P99");
    for (DemoPart<?> part : parts) {
      DemoTally.Counts counts = tally.of(part.name());
      table.row(
          part.name(),
          Text.count(counts.submitted()),
          Text.count(counts.finished()),
          Text.count(counts.retried()),
          Text.count(counts.failed()),
          Text.duration(counts.waited(50)),
          Text.duration(counts.waited(99)));
    }
    table.print(out);
    out.println();
    printLimits(out);
    out.println();
    out.printf(
        "%s of %s finished in %s (%s a second) on %s.%n",
        Text.count(end.finished()),
        Text.count(end.tasks(), "task"),
        Text.duration(end.since()),
        Text.count(Math.round(end.rate())),
        where);
  }

  private void printLimits(PrintWriter out) {
    Table table = new Table().text("LIMIT").number("SLOTS").number("PEAK");
    limits.forEach(limit -> table.row(limit.key(), limit.slots(), limit.peak()));
    table.print(out);
  }

  Object json(String store) {
    return Json.object()
        .put("submitted", end.submitted())
        .put("finished", end.finished())
        .put("failed", end.stats().failed())
        .put("retried", end.stats().retried())
        .put("seconds", rounded(end.seconds(), 1_000))
        .put("rate", rounded(end.rate(), 10))
        .put("store", store)
        .put("types", parts.stream().map(this::json).toList())
        .put("limits", limits.stream().map(DemoResult::json).toList())
        .map();
  }

  private static Object json(DemoLimit limit) {
    return Json.object()
        .put("key", limit.key().value())
        .put("slots", limit.slots())
        .put("peak", limit.peak())
        .map();
  }

  private Object json(DemoPart<?> part) {
    DemoTally.Counts counts = tally.of(part.name());
    return Json.object()
        .put("type", part.name())
        .put("submitted", counts.submitted())
        .put("finished", counts.finished())
        .put("retried", counts.retried())
        .put("failed", counts.failed())
        .put("wait_p50_ms", millis(counts, 50))
        .put("wait_p99_ms", millis(counts, 99))
        .map();
  }

  private static double millis(DemoTally.Counts counts, double percent) {
    return rounded(counts.waited(percent).toNanos() / 1e6, 10);
  }

  private static double rounded(double number, double steps) {
    return Math.round(number * steps) / steps;
  }
}
