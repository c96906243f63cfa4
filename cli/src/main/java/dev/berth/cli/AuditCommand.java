package dev.berth.cli;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.berth.Berth;
import dev.berth.limit.LimitKey;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replays the history and shows the peak of each limit. */
@Command(
    name = "audit",
    description = {
      "Replay starts and ends from the history, and show for each limit how many slots were in use"
          + " at its peak, against the number in force at that moment.",
      "Ends with 1 if a task ever started over a limit."
    },
    footer =
        "It sees what the history keeps: attempts of types without history are not in it, nor slots"
            + " that were held without a task.")
final class AuditCommand implements Callable<Integer> {

  /** How many keys of one rule are shown. */
  private static final int WORST = 10;

  @Parameters(
      paramLabel = "KEY",
      arity = "0..1",
      converter = LimitCommand.Key.class,
      description = "Only this limit; type/TYPE/NAME for all values.")
  private @Nullable LimitKey key;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Leave out attempts that ended before, such as 2026-03-01T12:00:00Z.")
  private @Nullable Instant since;

  @Mixin private StoreOptions store;

  @Mixin private Output output;

  @Override
  public Integer call() {
    try (Berth berth = store.open()) {
      List<LimitAudit> limits = berth.reader().audit(new AuditFilter(key, since));
      boolean over = limits.stream().anyMatch(LimitAudit::over);
      output.answer(
          Json.object()
              .put("over", over)
              .put("limits", limits.stream().map(AuditCommand::json).toList())
              .map(),
          out -> print(limits, out));
      return over ? ExitCode.SOFTWARE : ExitCode.OK;
    }
  }

  private static Object json(LimitAudit limit) {
    return Json.object()
        .put("key", limit.key().value())
        .put("peak", limit.peak())
        .put("slots", limit.slots())
        .put("at", limit.at().toString())
        .put("over", limit.over())
        .put("forgiven", limit.forgiven())
        .map();
  }

  static void print(List<LimitAudit> limits, PrintWriter out) {
    if (limits.isEmpty()) {
      out.println("The history has no task that ran under a limit.");
      return;
    }
    Map<LimitKey, List<LimitAudit>> rules =
        limits.stream().collect(groupingBy(l -> l.key().rule(), LinkedHashMap::new, toList()));
    Table table = new Table().text("LIMIT").number("PEAK").number("SLOTS").text("AT").text("");
    rules.values().forEach(keys -> worst(keys).forEach(limit -> add(limit, table)));
    table.print(out);
    rules.forEach((rule, keys) -> {
      if (keys.size() > WORST) {
        out.printf(
            "Of %s keys of %s the %d worst are shown; --json has all.%n",
            Text.count(keys.size()), rule, WORST);
      }
    });
    out.println();
    out.println(verdict(limits));
    out.println(forgiven(limits));
  }

  /** Of the many keys of a rule few are worth a look. */
  private static List<LimitAudit> worst(List<LimitAudit> keys) {
    return keys.size() <= WORST
        ? keys
        : keys.stream().sorted(LimitAudit.WORST_FIRST).limit(WORST).toList();
  }

  private static void add(LimitAudit limit, Table table) {
    table.row(
        limit.key(),
        Text.count(limit.peak()),
        limit.slots() == null ? "none" : Text.count(limit.slots()),
        Text.exactTime(limit.at()),
        limit.over() ? "OVER" : "");
  }

  private static String verdict(List<LimitAudit> limits) {
    long over = limits.stream().filter(LimitAudit::over).count();
    return over == 0
        ? "No limit was exceeded."
        : Text.count(over, "limit") + (over == 1 ? " was" : " were") + " exceeded.";
  }

  /** What the verdict leaves out: an exchange that is under way follows the number it has read. */
  private static String forgiven(List<LimitAudit> limits) {
    long starts = limits.stream().mapToLong(LimitAudit::forgiven).sum();
    return "%s over a number that had been lowered less than a second before; that is forgiven."
        .formatted(starts == 0 ? "No task started" : Text.count(starts, "task") + " started");
  }
}
