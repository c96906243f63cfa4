package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.Schedules;
import dev.berth.config.Nearest;
import dev.berth.limit.Lane;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Applied;
import dev.berth.store.Schedule;
import dev.berth.store.Submission;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.TaskId;
import dev.berth.view.ScheduleView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes schedules, looks at them, and pauses, resumes, runs and removes them. */
@Command(name = "schedule", description = "Add, list, pause, resume, run and remove schedules.")
final class ScheduleCommand extends CommandGroup {

  private static final int MOST_TIMES = 1_000;
  private static final String NAME = "The schedule.";

  @Command(
      description = {
        "Add a schedule, or change the one of this name.",
        "Where its times stay the same, an occurrence that is due stays due."
      })
  void add(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--type",
              required = true,
              description = "The type of the tasks that it submits.")
          String type,
      @Option(names = "--payload", paramLabel = "JSON", description = "Their payload; else null.")
          @Nullable String payload,
      @Option(
              names = "--cron",
              paramLabel = "TIMES",
              description = "When, as five fields of cron, such as '0 3 * * *'.")
          @Nullable String cron,
      @Option(
              names = "--zone",
              description = "The time zone of --cron, such as Europe/Berlin; else UTC.")
          @Nullable String zone,
      @Option(
              names = "--every",
              paramLabel = "TIME",
              converter = TimeSpan.class,
              description = "Instead of --cron: how often, such as 10s, 5m, 2h or PT1H30M.")
          @Nullable Duration every,
      @Option(
              names = "--missed",
              defaultValue = "ONCE",
              description = "What was missed while no worker ran: ${COMPLETION-CANDIDATES}.")
          Missed missed,
      @Option(
              names = "--overlap",
              defaultValue = "SKIP",
              description = "While an earlier task is not over: ${COMPLETION-CANDIDATES}.")
          Overlap overlap,
      @Option(names = "--queue", defaultValue = "default", description = "Their queue.")
          String queue,
      @Option(
              names = "--priority",
              paramLabel = "N",
              defaultValue = "5",
              description = "Their priority, 0 to 9.")
          int priority,
      @Option(
              names = "--limit",
              paramLabel = "KEY=SLOTS",
              description = {
                "A limit that they are under besides those of the type, such as",
                "type/import/customer/7=1. The number counts if nobody has said one."
              })
          @Nullable Map<String, Integer> limits,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Timing timing = timing(name, cron, zone, every);
    Submission each =
        new Submission(
            TaskId.next(),
            true,
            type,
            queue,
            priority,
            Due.NOW,
            Json.checked("The payload of schedule " + name, payload == null ? "null" : payload),
            Map.of(),
            lane(limits == null ? Map.of() : limits));
    Schedule schedule = new Schedule(name, timing, missed, overlap, each);
    timing.check(name);
    try (Berth berth = store.open()) {
      Applied applied = berth.schedules().set(schedule);
      answer(
          output,
          find(berth, name),
          applied,
          "Schedule %s %s: %s."
              .formatted(name, applied == Applied.DONE ? "is set" : "was already so", timing));
    }
  }

  @Command(description = "List the schedules with their next and last times.")
  void list(@Mixin StoreOptions store, @Mixin Output output) {
    try (Berth berth = store.open()) {
      List<ScheduleView> schedules = berth.schedules().list();
      output.answer(
          schedules.stream().map(ScheduleText::json).map(Json.Fields::map).toList(),
          out -> ScheduleText.print(schedules, out));
    }
  }

  @Command(description = "Show a schedule and its next times.")
  void show(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--next",
              paramLabel = "N",
              defaultValue = "5",
              description = "How many of the next times to show; else ${DEFAULT-VALUE}.")
          int next,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Names.check("schedule", name);
    if (next < 1 || next > MOST_TIMES) {
      throw new IllegalArgumentException(
          "--next shows 1 to %d times, not %d".formatted(MOST_TIMES, next));
    }
    try (Berth berth = store.open()) {
      ScheduleView schedule = find(berth, name);
      output.answer(
          ScheduleText.json(schedule)
              .put("next", schedule.upcoming(next).stream().map(Object::toString).toList())
              .map(),
          out -> ScheduleText.print(schedule, schedule.upcoming(next), out));
    }
  }

  @Command(
      description = "Submit nothing until it is resumed; what falls into the pause is left out.")
  void pause(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    change(
        store, output, name, schedules -> schedules.pause(name), "is paused", "was already paused");
  }

  @Command(description = "Let a paused schedule go on with its next time.")
  void resume(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    change(
        store, output, name, schedules -> schedules.resume(name), "is resumed", "was not paused");
  }

  @Command(
      name = "run",
      description = "Submit a task now, besides all occurrences, also while it is paused.")
  void runNow(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    TaskId task = TaskId.next();
    Names.check("schedule", name);
    try (Berth berth = store.open()) {
      ScheduleView schedule = find(berth, name);
      switch (berth.schedules().run(name, task)) {
        case DONE ->
            output.answer(
                Json.object().put("schedule", name).put("task", task.toString()).map(),
                out -> out.printf("Task %s of schedule %s is submitted.%n", task, name));
        case QUOTA_FULL ->
            throw new CommandFailedException(
                "Nothing was submitted: a quota of type " + schedule.each().type() + " is full.");
        default ->
            throw new CommandFailedException(
                "Nothing was submitted: an earlier task of schedule %s is pending or running, and it skips then. 'berth task show %s' says more of the last one."
                    .formatted(name, schedule.past().lastTask()));
      }
    }
  }

  @Command(description = "Remove a schedule; tasks that it has submitted stay.")
  void remove(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    Names.check("schedule", name);
    try (Berth berth = store.open()) {
      find(berth, name);
      berth.schedules().remove(name);
      output.answer(
          Json.object().put("schedule", name).put("removed", true).map(),
          out -> out.printf("Schedule %s is removed.%n", name));
    }
  }

  private static Lane lane(Map<String, Integer> limits) {
    return new Lane(
        limits.entrySet().stream()
            .map(limit -> new Need(new LimitKey(limit.getKey()), 1, limit.getValue()))
            .toList());
  }

  private static Timing timing(
      String name, @Nullable String cron, @Nullable String zone, @Nullable Duration every) {
    if ((cron == null) == (every == null)) {
      throw new IllegalArgumentException(
          "Schedule " + name + ": say when, either with --cron or with --every.");
    }
    if (every != null && zone != null) {
      throw new IllegalArgumentException(
          "Schedule " + name + ": --zone is for --cron; --every is the same in all zones.");
    }
    return cron != null
        ? new Timing.Cron(cron, zone == null ? "UTC" : zone)
        : new Timing.Every(every == null ? Duration.ZERO : every);
  }

  private static void change(
      StoreOptions store,
      Output output,
      String name,
      Function<Schedules, Applied> change,
      String done,
      String unchanged) {
    Names.check("schedule", name);
    try (Berth berth = store.open()) {
      find(berth, name);
      Applied applied = change.apply(berth.schedules());
      String how = applied == Applied.DONE ? done : unchanged;
      answer(output, find(berth, name), applied, "Schedule %s %s.".formatted(name, how));
    }
  }

  private static void answer(
      Output output, ScheduleView schedule, Applied applied, String sentence) {
    output.answer(
        ScheduleText.json(schedule).put("changed", applied == Applied.DONE).map(),
        out -> out.println(sentence));
  }

  private static ScheduleView find(Berth berth, String name) {
    return berth
        .schedules()
        .find(name)
        .orElseThrow(() -> {
          List<String> names = berth.schedules().list().stream().map(ScheduleView::name).toList();
          return new CommandFailedException(
              "There is no schedule "
                  + name
                  + "; 'berth schedule list' lists them."
                  + Nearest.within(3, name, names)
                      .map(near -> " Did you mean " + near + "?")
                      .orElse(""));
        });
  }
}
