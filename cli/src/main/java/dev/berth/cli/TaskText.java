package dev.berth.cli;

import dev.berth.view.AttemptView;
import dev.berth.view.TaskView;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tasks and their attempts, for people and for programs. */
final class TaskText {

  private TaskText() {}

  static Json.Fields json(TaskView task) {
    TaskView.StepName step = task.input().step();
    return Json.object()
        .put("id", task.id().toString())
        .put("name", task.input().name())
        .put("type", task.type())
        .put("queue", task.queue())
        .put("priority", task.place().priority())
        .put("state", task.state().name())
        .put("submitted_at", text(task.times().submitted()))
        .put("due_at", text(task.times().due()))
        .put("started_at", text(task.times().started()))
        .put("ended_at", text(task.times().ended()))
        .put("attempt", task.counts().attempt())
        .put("failures", task.counts().failures())
        .put("crashes", task.counts().crashes())
        .put("payload", Json.embedded(task.payload()))
        .put("metadata", task.input().metadata())
        .put("result", Json.embedded(task.result()))
        .put("error", task.error())
        .put("worker", task.report().worker())
        .put("progress", task.report().progress())
        .put("workflow", step == null ? null : step.workflow())
        .put("step", step == null ? null : step.name());
  }

  static Object json(AttemptView attempt) {
    return Json.object()
        .put("attempt", attempt.attempt())
        .put("ending", attempt.ending().name())
        .put("started_at", text(attempt.startedAt()))
        .put("ended_at", text(attempt.endedAt()))
        .put("token", attempt.token())
        .put("worker", attempt.worker())
        .put("error", attempt.error())
        .map();
  }

  static void print(List<TaskView> tasks, PrintWriter out) {
    if (tasks.isEmpty()) {
      out.println("No tasks.");
      return;
    }
    Table table =
        new Table()
            .text("ID")
            .text("TYPE")
            .text("QUEUE")
            .number("PRIORITY")
            .text("STATE")
            .number("ATTEMPTS")
            .text("SUBMITTED")
            .text("DUE");
    for (TaskView task : tasks) {
      table.row(
          task.id(),
          task.type(),
          task.queue(),
          task.place().priority(),
          task.state(),
          task.counts().attempt(),
          Text.time(task.times().submitted()),
          Text.time(task.times().due()));
    }
    table.print(out);
  }

  static void print(TaskView task, List<AttemptView> attempts, PrintWriter out) {
    TaskView.StepName step = task.input().step();
    Map<String, @Nullable Object> lines = new LinkedHashMap<>();
    lines.put("id", task.id());
    lines.put("name", task.input().name());
    lines.put("type", task.type());
    lines.put("queue", task.queue());
    lines.put("priority", task.place().priority());
    lines.put("state", task.state());
    lines.put("submitted", Text.exactTime(task.times().submitted()));
    lines.put("due", Text.exactTime(task.times().due()));
    lines.put("started", Text.exactTime(task.times().started()));
    lines.put("ended", Text.exactTime(task.times().ended()));
    lines.put("workflow", step == null ? null : step.workflow());
    lines.put("step", step == null ? null : step.name());
    lines.put("attempts", attempts(task));
    lines.put("worker", task.report().worker());
    lines.put("progress", task.report().progress());
    lines.put("payload", task.payload());
    lines.put("metadata", task.input().metadata().isEmpty() ? null : task.input().metadata());
    lines.put("result", task.result());
    lines.put("error", task.error());
    lines.forEach((name, value) -> {
      if (value != null && !value.equals("-")) {
        print(name, value.toString(), out);
      }
    });
    if (!attempts.isEmpty()) {
      out.println();
      print(attempts).print(out);
    }
  }

  /** A value of several lines, such as an error, keeps them, each behind the name. */
  private static void print(String name, String value, PrintWriter out) {
    String heading = name;
    for (String line : (Iterable<String>) value.replace("\t", "  ").lines()::iterator) {
      out.printf("%-10s %s%n", heading, line);
      heading = "";
    }
  }

  private static Table print(List<AttemptView> attempts) {
    Table table =
        new Table()
            .number("ATTEMPT")
            .text("ENDING")
            .text("STARTED")
            .text("ENDED")
            .number("TOKEN")
            .text("WORKER")
            .text("ERROR");
    for (AttemptView attempt : attempts) {
      table.row(
          attempt.attempt(),
          attempt.ending(),
          Text.exactTime(attempt.startedAt()),
          Text.exactTime(attempt.endedAt()),
          attempt.token(),
          Objects.requireNonNullElse(attempt.worker(), "-"),
          Objects.requireNonNullElse(attempt.error(), "").lines().findFirst().orElse(""));
    }
    return table;
  }

  private static String attempts(TaskView task) {
    return task.counts().attempt()
        + (task.counts().failures() == 0 ? "" : ", " + task.counts().failures() + " failed")
        + (task.counts().crashes() == 0 ? "" : ", " + task.counts().crashes() + " lost to crashes");
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
