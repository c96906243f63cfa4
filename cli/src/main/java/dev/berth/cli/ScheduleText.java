package dev.berth.cli;

import dev.berth.schedule.Timing;
import dev.berth.view.ScheduleView;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Schedules for people and for programs. */
final class ScheduleText {

  private static final DateTimeFormatter WITH_ZONE =
      DateTimeFormatter.ofPattern("EEE yyyy-MM-dd HH:mm:ss xxx", Locale.ROOT);

  private ScheduleText() {}

  static Json.Fields json(ScheduleView schedule) {
    Json.Fields fields = Json.object().put("schedule", schedule.name());
    switch (schedule.when().timing()) {
      case Timing.Cron(String expression, String zone) ->
          fields.put("cron", expression).put("zone", zone);
      case Timing.Every(Duration period) -> fields.put("every_ms", period.toMillis());
    }
    return fields
        .put("missed", schedule.when().missed().name())
        .put("overlap", schedule.when().overlap().name())
        .put("type", schedule.each().type())
        .put("queue", schedule.each().queue())
        .put("payload", Json.embedded(schedule.each().payload()))
        .put("paused", schedule.paused())
        .put("next_at", text(schedule.nextAt()))
        .put("last_at", text(schedule.past().lastAt()))
        .put("last_task", text(schedule.past().lastTask()))
        .put("submitted", schedule.past().submitted())
        .put("skipped", schedule.past().skipped())
        .put("error", schedule.error());
  }

  static void print(List<ScheduleView> schedules, PrintWriter out) {
    if (schedules.isEmpty()) {
      out.println("There are no schedules.");
      return;
    }
    Table table =
        new Table()
            .text("SCHEDULE")
            .text("WHEN")
            .text("TYPE")
            .text("NEXT")
            .text("LAST")
            .number("SUBMITTED")
            .number("SKIPPED")
            .text("");
    for (ScheduleView schedule : schedules) {
      table.row(
          schedule.name(),
          when(schedule.when().timing()),
          schedule.each().type(),
          Text.time(schedule.nextAt()),
          Text.time(schedule.past().lastAt()),
          Text.count(schedule.past().submitted()),
          Text.count(schedule.past().skipped()),
          state(schedule));
    }
    table.print(out);
  }

  /** With times in the zone of the schedule: there they have their plain hours. */
  static void print(ScheduleView schedule, List<Instant> next, PrintWriter out) {
    out.printf("Schedule %s: %s%n", schedule.name(), when(schedule.when().timing()));
    out.printf("  submits    %s in queue %s%n", schedule.each().type(), schedule.each().queue());
    out.printf("  payload    %s%n", schedule.each().payload());
    out.printf("  missed     %s%n", schedule.when().missed());
    out.printf("  overlap    %s%n", schedule.when().overlap());
    out.printf("  submitted  %s%n", Text.count(schedule.past().submitted(), "task"));
    out.printf("  skipped    %s%n", Text.count(schedule.past().skipped(), "occurrence"));
    out.printf("  last       %s%n", Text.time(schedule.past().lastAt()));
    out.printf(
        "  last task  %s%n", schedule.past().lastTask() == null ? "-" : schedule.past().lastTask());
    if (!state(schedule).isEmpty()) {
      out.printf("  state      %s%n", state(schedule));
    }
    ZoneId zone = zone(schedule.when().timing());
    next.forEach(time -> out.printf("  next       %s%n", WITH_ZONE.format(time.atZone(zone))));
  }

  private static ZoneId zone(Timing timing) {
    return timing instanceof Timing.Cron cron ? ZoneId.of(cron.zone()) : ZoneId.systemDefault();
  }

  private static String when(Timing timing) {
    return switch (timing) {
      case Timing.Cron(String expression, String zone) -> expression + " " + zone;
      case Timing.Every(Duration period) -> "every " + Text.about(period);
    };
  }

  private static String state(ScheduleView schedule) {
    if (schedule.error() != null) {
      return "error: " + schedule.error();
    }
    if (schedule.paused()) {
      return "paused";
    }
    return schedule.nextAt() == null ? "waits for a worker to find its next time" : "";
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
