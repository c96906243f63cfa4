package dev.berth.cli;

import dev.berth.view.LimitView;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Limits and who holds their slots, for people and for programs. */
final class LimitText {

  private LimitText() {}

  static Json.Fields json(LimitView limit) {
    return Json.object()
        .put("key", limit.key().value())
        .put("slots", limit.slots())
        .put("used", limit.used())
        .put("waiting", limit.waiting())
        .put("paused", limit.paused())
        .put("source", limit.source().name())
        .put("holders", limit.holders().stream().map(LimitText::json).toList());
  }

  static Object json(LimitView.Holder holder) {
    return Json.object()
        .put("slot", holder.group())
        .put("slots", holder.weight())
        .put("task", holder.task() == null ? null : holder.task().toString())
        .put("token", holder.token())
        .put("type", holder.type())
        .put("worker", holder.worker())
        .put("expires_at", holder.expiresAt().toString())
        .put("since", holder.since().toString())
        .put("running_ms", running(holder).toMillis())
        .map();
  }

  static void print(List<LimitView> limits, PrintWriter out) {
    if (limits.isEmpty()) {
      out.println("There are no limits.");
      return;
    }
    Table table =
        new Table()
            .text("LIMIT")
            .number("SLOTS")
            .number("USED")
            .number("WAITING")
            .text("SAID BY")
            .text("");
    for (LimitView limit : limits) {
      table.row(
          limit.key(),
          Text.count(limit.slots()),
          Text.count(limit.used()),
          Text.count(limit.waiting()),
          by(limit.source()),
          state(limit));
    }
    table.print(out);
  }

  static void print(LimitView limit, PrintWriter out) {
    print(List.of(limit), out);
    out.println();
    if (limit.holders().isEmpty()) {
      out.println("Nobody holds a slot.");
      return;
    }
    table(limit.holders()).print(out);
  }

  static Table table(List<LimitView.Holder> holders) {
    Table table =
        new Table()
            .number("SLOT")
            .number("SLOTS")
            .number("TOKEN")
            .text("TASK")
            .text("TYPE")
            .text("WORKER")
            .number("FOR");
    for (LimitView.Holder holder : holders) {
      table.row(
          holder.group(),
          holder.weight(),
          holder.token(),
          holder.task() == null ? "none" : holder.task(),
          holder.type() == null ? "" : holder.type(),
          holder.worker(),
          Text.about(running(holder)));
    }
    return table;
  }

  /** How long it has held its slots, by the clock here, which may be a bit behind the store's. */
  private static Duration running(LimitView.Holder holder) {
    Duration time = Duration.between(holder.since(), Instant.now());
    return time.isNegative() ? Duration.ZERO : time;
  }

  private static String by(LimitView.Source source) {
    return switch (source) {
      case SUBMIT -> "submit";
      case CODE -> "code";
      case FILE -> "file";
      case OVERRIDE -> "hand";
    };
  }

  /** Ends the sentence "it has 5 slots, as …". */
  static String said(LimitView.Source source) {
    return switch (source) {
      case SUBMIT -> "a submit says";
      case CODE -> "the code says";
      case FILE -> "a worker's file says";
      case OVERRIDE -> "was set by hand";
    };
  }

  private static String state(LimitView limit) {
    if (limit.paused()) {
      return "paused";
    }
    if (limit.key().isRule()) {
      return "slots of each";
    }
    if (limit.used() > limit.slots()) {
      return "draining";
    }
    return limit.used() == limit.slots() ? "full" : "";
  }
}
