package dev.berth.cli;

import dev.berth.limit.LimitKey;
import dev.berth.view.Explanation;
import dev.berth.view.Explanation.Held;
import dev.berth.view.Explanation.Line;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.Obstacle;
import dev.berth.view.Obstacle.NoRoom;
import dev.berth.view.TaskView;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Explanations, for people and for programs. */
final class ExplainText {

  private ExplainText() {}

  static Object json(Explanation explanation) {
    TaskView task = explanation.task();
    Json.Fields fields =
        Json.object()
            .put("id", task.id().toString())
            .put("type", task.type())
            .put("queue", task.queue())
            .put("state", task.state().name());
    switch (explanation) {
      case Explanation.Waiting(
              TaskView same,
              List<Obstacle> obstacles,
              Line line,
              Duration estimate) ->
          fields
              .put("obstacles", obstacles.stream().map(ExplainText::json).toList())
              .put("ahead", line == null ? null : line.ahead())
              .put("more", line == null ? null : line.more())
              .put("estimate_ms", estimate == null ? null : estimate.toMillis());
      case Explanation.Running running ->
          fields
              .put("worker", task.report().worker())
              .put("session", running.session().value())
              .put("started_at", String.valueOf(task.times().started()))
              .put("slots", running.held().stream().map(ExplainText::json).toList());
      case Explanation.Ended ended ->
          fields.put("ended_at", String.valueOf(task.times().ended())).put("error", task.error());
    }
    return fields.map();
  }

  private static Object json(Held held) {
    return Json.object()
        .put("key", held.key().value())
        .put("slot", held.group())
        .put("slots", held.slots())
        .map();
  }

  private static Object json(Obstacle obstacle) {
    return switch (obstacle) {
      case Obstacle.NotDue(var dueAt) ->
          Json.object().put("reason", "not_due").put("due_at", dueAt.toString()).map();
      case Obstacle.HeldByWorkflow(String workflow, String step, boolean halted) ->
          Json.object()
              .put("reason", "held")
              .put("workflow", workflow)
              .put("step", step)
              .put("halted", halted)
              .map();
      case Obstacle.QueuePaused(String queue) ->
          Json.object().put("reason", "queue_paused").put("queue", queue).map();
      case Obstacle.NoWorker(String type, String queue) ->
          Json.object().put("reason", "no_worker").put("type", type).put("queue", queue).map();
      case Obstacle.LimitPaused(LimitKey key) ->
          Json.object().put("reason", "limit_paused").put("key", key.value()).map();
      case Obstacle.Paced(LimitKey key, var nextStartAt) ->
          Json.object()
              .put("reason", "paced")
              .put("key", key.value())
              .put("next_start_at", nextStartAt.toString())
              .map();
      case Obstacle.Reserved(LimitKey key) ->
          Json.object().put("reason", "limit_reserved").put("key", key.value()).map();
      case NoRoom room ->
          Json.object()
              .put("reason", "limit_" + room.why().name().toLowerCase(Locale.ROOT))
              .put("key", room.key().value())
              .put("slots", room.slots())
              .put("used", room.used())
              .put("needed", room.needed())
              .put("holders", room.holders().stream().map(LimitText::json).toList())
              .map();
    };
  }

  static void print(Explanation explanation, PrintWriter out) {
    TaskView task = explanation.task();
    String state = task.state().name().toLowerCase(Locale.ROOT);
    String subject = "Task " + task.id() + ", " + task.type() + " in queue " + task.queue() + ",";
    switch (explanation) {
      case Explanation.Waiting waiting -> {
        out.printf("%s is %s.%n", subject, state);
        print(waiting, out);
      }
      case Explanation.Running running -> {
        out.printf(
            "%s runs on worker %s since %s.%n",
            subject, task.report().worker(), Text.exactTime(task.times().started()));
        for (Held held : running.held()) {
          out.printf("It holds %s of %s.%n", Text.count(held.slots(), "slot"), held.key());
        }
      }
      case Explanation.Ended ended -> {
        out.printf("%s is %s since %s.%n", subject, state, Text.exactTime(task.times().ended()));
        if (task.error() != null) {
          out.println(task.error().lines().findFirst().orElse(""));
        }
      }
    }
  }

  private static void print(Explanation.Waiting waiting, PrintWriter out) {
    for (Obstacle obstacle : waiting.obstacles()) {
      out.println(sentence(obstacle));
      if (obstacle instanceof NoRoom room && !room.holders().isEmpty()) {
        out.println();
        print(room, out);
        out.println();
      }
    }
    Line line = waiting.line();
    if (waiting.obstacles().isEmpty()) {
      out.println(
          line == null
              ? "It has just become due: the next sweep of a worker puts it in line."
              : "Nothing is in its way: it waits until a worker claims it.");
    }
    if (line != null) {
      out.println(sentence(line));
    }
    Duration estimate = waiting.estimate();
    if (estimate != null) {
      out.printf("At the speed of late it starts in about %s.%n", Text.about(estimate));
    }
  }

  private static void print(NoRoom room, PrintWriter out) {
    LimitText.table(room.holders()).print(out);
    long shown = room.holders().stream().mapToLong(Holder::weight).sum();
    if (shown < room.used()) {
      out.printf("… and %s more.%n", Text.count(room.used() - shown, "slot"));
    }
  }

  private static String sentence(Line line) {
    if (line.ahead() == 0) {
      return "It is the first in its line.";
    }
    return (line.more() ? "More than " : "")
        + Text.count(line.ahead(), "task")
        + (line.ahead() == 1 ? " is" : " are")
        + " before it in its line.";
  }

  private static String sentence(Obstacle obstacle) {
    return switch (obstacle) {
      case Obstacle.NotDue(var dueAt) -> "It is due at " + Text.exactTime(dueAt) + ".";
      case Obstacle.HeldByWorkflow(String workflow, String step, boolean halted) ->
          halted
              ? "It is held by its workflow %s, which step %s has halted: berth workflow %s."
                  .formatted(workflow, step, workflow)
              : "It is held by its workflow %s and waits for step %s.".formatted(workflow, step);
      case Obstacle.QueuePaused(String queue) ->
          "Queue %s is paused: berth queue resume %s.".formatted(queue, queue);
      case Obstacle.NoWorker(String type, String queue) ->
          "No live worker reads queue %s and handles %s.".formatted(queue, type);
      case Obstacle.LimitPaused(LimitKey key) ->
          "Limit %s is paused: berth limit resume %s.".formatted(key, key);
      case Obstacle.Paced(LimitKey key, var nextStartAt) ->
          "Limit %s is paced: the next task starts at %s or later."
              .formatted(key, Text.exactTime(nextStartAt));
      case Obstacle.Reserved(LimitKey key) ->
          "Limit %s is left to a task that needs several of its slots.".formatted(key);
      case NoRoom room -> sentence(room);
    };
  }

  private static String sentence(NoRoom room) {
    String slots = Text.count(room.slots(), "slot");
    String used = "%d of %s %s".formatted(room.used(), slots, room.used() == 1 ? "is" : "are");
    return "Limit "
        + room.key()
        + switch (room.why()) {
          case CLOSED -> " has no slots: nothing starts until it is given some.";
          case TOO_SMALL ->
              " has %s, and the task takes %d: it cannot start until the limit is raised."
                  .formatted(slots, room.needed());
          case DRAINS ->
              " was lowered to %s while %d %s in use: nothing starts until it has room."
                  .formatted(slots, room.used(), room.used() == 1 ? "is" : "are");
          case FULL ->
              room.needed() == 1
                  ? " is full: %s in use.".formatted(used)
                  : " has no room: %s in use, and the task takes %d."
                      .formatted(used, room.needed());
        };
  }
}
