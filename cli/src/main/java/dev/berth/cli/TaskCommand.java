package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.store.Applied;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at tasks, and cancels and retries them. */
@Command(name = "task", description = "List, show, cancel and retry tasks.")
final class TaskCommand extends CommandGroup {

  @Command(description = "List tasks, newest first.")
  void list(
      @Option(
              names = "--state",
              split = ",",
              paramLabel = "STATE",
              description = "Only these states: ${COMPLETION-CANDIDATES}.")
          @Nullable Set<TaskState> states,
      @Option(names = "--type", paramLabel = "NAME", description = "Only this task type.")
          @Nullable String type,
      @Option(names = "--queue", paramLabel = "NAME", description = "Only this queue.")
          @Nullable String queue,
      @Option(
              names = "--most",
              paramLabel = "N",
              defaultValue = "20",
              description = "How many at most, up to 10000 (${DEFAULT-VALUE} by default).")
          int most,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    TaskFilter filter = new TaskFilter(states == null ? Set.of() : states, type, queue, most);
    try (Berth berth = store.open()) {
      List<TaskView> tasks = berth.reader().list(filter);
      output.answer(
          tasks.stream().map(TaskText::json).map(Json.Fields::map).toList(),
          out -> TaskText.print(tasks, out));
    }
  }

  @Command(
      description =
          "Show one task and its attempts, or all tasks that were submitted under a text.")
  void show(
      @Parameters(
              paramLabel = "ID",
              converter = TaskName.Reader.class,
              description = TaskName.DESCRIPTION)
          TaskName id,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<TaskView> tasks = id.all(berth);
      List<Object> json = tasks.stream().map(task -> json(berth, task)).toList();
      output.answer(
          id.isTextOf(tasks.getFirst()) ? json : json.getFirst(),
          out -> {
            for (TaskView task : tasks) {
              TaskText.print(task, berth.reader().attempts(task.id()), out);
              if (!task.equals(tasks.getLast())) {
                out.println();
              }
            }
          });
    }
  }

  private static Object json(Berth berth, TaskView task) {
    return TaskText.json(task)
        .put("attempts", berth.reader().attempts(task.id()).stream().map(TaskText::json).toList())
        .map();
  }

  @Command(
      description =
          "Cancel a task. One that waits ends at once; the handler of a running one is"
              + " interrupted.")
  void cancel(
      @Parameters(
              paramLabel = "ID",
              converter = TaskName.Reader.class,
              description = TaskName.DESCRIPTION)
          TaskName name,
      @Mixin Reason reason,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      TaskId id = name.one(berth);
      Applied applied = berth.cancel(id, reason.text);
      TaskState state = state(berth, id, applied);
      String sentence =
          switch (applied) {
            case REQUESTED -> "Task " + id + " is running; its handler was asked to stop.";
            case DONE -> "Task " + id + " is cancelled.";
            case UNCHANGED, QUOTA_FULL, NOT_FOUND -> {
              if (state != TaskState.CANCELLED) {
                throw new CommandFailedException(
                    "Task %s has ended already (%s) and cannot be cancelled."
                        .formatted(id, lower(state)));
              }
              yield "Task " + id + " was already cancelled.";
            }
          };
      answer(output, id, applied, state, sentence);
    }
  }

  @Command(description = "Let a failed or cancelled task run again, with all its attempts.")
  void retry(
      @Parameters(
              paramLabel = "ID",
              converter = TaskName.Reader.class,
              description = TaskName.DESCRIPTION)
          TaskName name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    try (Berth berth = store.open()) {
      TaskId id = name.one(berth);
      Applied applied = berth.retry(id);
      TaskState state = state(berth, id, applied);
      if (applied == Applied.QUOTA_FULL) {
        throw new CommandFailedException(
            "Task %s is still %s: one of its quotas is full. Retry it when a task under that quota"
                    .formatted(id, lower(state))
                + " has ended.");
      }
      if (applied != Applied.DONE) {
        throw new CommandFailedException(
            "Task %s is %s: only a failed or cancelled task can be retried."
                .formatted(id, lower(state)));
      }
      answer(output, id, applied, state, "Task " + id + " is pending again.");
    }
  }

  private static TaskState state(Berth berth, TaskId id, Applied applied) {
    if (applied == Applied.NOT_FOUND) {
      throw unknown(id);
    }
    return berth.find(id).map(TaskView::state).orElseThrow(() -> unknown(id));
  }

  static CommandFailedException unknown(TaskId id) {
    return new CommandFailedException(
        "There is no task " + id + ": it was never submitted, or its history was not kept.");
  }

  private static void answer(
      Output output, TaskId id, Applied applied, TaskState state, String sentence) {
    output.answer(
        Json.object()
            .put("id", id.toString())
            .put("applied", applied.name())
            .put("state", state.name())
            .map(),
        out -> out.println(sentence));
  }

  private static String lower(TaskState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
