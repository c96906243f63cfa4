package dev.berth.cli;

import dev.berth.store.AttemptView;
import dev.berth.store.TaskView;
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
    return Json.object()
        .put("id", task.id().toString())
        .put("type", task.type())
        .put("queue", task.queue())
        .put("priority", task.priority())
        .put("state", task.state().name())
        .put("submitted_at", text(task.submittedAt()))
        .put("due_at", text(task.dueAt()))
        .put("started_at", text(task.startedAt()))
        .put("ended_at", text(task.endedAt()))
        .put("attempt", task.attempt())
        .put("failures", task.failures())
        .put("crashes", task.crashes())
        .put("payload", Json.embedded(task.payload()))
        .put("metadata", task.metadata())
        .put("result", Json.embedded(task.result()))
        .put("error", task.error())
        .put("worker", task.worker())
        .put("progress", task.progress())
        .put("workflow", task.workflow())
        .put("step", task.step());
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
          task.priority(),
          task.state(),
          task.attempt(),
          Text.time(task.submittedAt()),
          Text.time(task.dueAt()));
    }
    table.print(out);
  }

  static void print(TaskView task, List<AttemptView> attempts, PrintWriter out) {
    Map<String, @Nullable Object> lines = new LinkedHashMap<>();
    lines.put("id", task.id());
    lines.put("type", task.type());
    lines.put("queue", task.queue());
    lines.put("priority", task.priority());
    lines.put("state", task.state());
    lines.put("submitted", Text.exactTime(task.submittedAt()));
    lines.put("due", Text.exactTime(task.dueAt()));
    lines.put("started", Text.exactTime(task.startedAt()));
    lines.put("ended", Text.exactTime(task.endedAt()));
    lines.put("workflow", task.workflow());
    lines.put("step", task.step());
    lines.put("attempts", attempts(task));
    lines.put("worker", task.worker());
    lines.put("progress", task.progress());
    lines.put("payload", task.payload());
    lines.put("metadata", task.metadata().isEmpty() ? null : task.metadata());
    lines.put("result", task.result());
    lines.put("error", task.error());
    lines.forEach((name, value) -> {
      if (value != null && !value.equals("-")) {
        out.printf("%-10s %s%n", name, value.toString().replace("\n", "\n" + " ".repeat(11)));
      }
    });
    if (!attempts.isEmpty()) {
      out.println();
      print(attempts).print(out);
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
    return task.attempt()
        + (task.failures() == 0 ? "" : ", " + task.failures() + " failed")
        + (task.crashes() == 0 ? "" : ", " + task.crashes() + " lost to crashes");
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
