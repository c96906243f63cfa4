package dev.berth.memory;

import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.task.TaskId;
import dev.berth.view.ScheduleView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One schedule with everything the store knows of it. Guarded by the lock of the store. */
final class MemorySchedule {

  Schedule schedule;
  long version;
  boolean paused;

  /** From which a fixed rate is counted. */
  Instant anchor;

  /** Occurrences after this time count, where the next is not known yet. */
  Instant since;

  @Nullable Instant nextAt;
  @Nullable Instant lastAt;
  @Nullable TaskId lastTask;
  long submitted;
  long skipped;
  @Nullable String error;

  /** Whether the next time is to be found. */
  boolean unplanned;

  MemorySchedule(Schedule schedule, Instant now) {
    this.schedule = schedule;
    this.anchor = now;
    this.since = now;
  }

  /** Its next time is to be found: the first after this. */
  void planFrom(Instant from) {
    since = from;
    nextAt = null;
    error = null;
    unplanned = true;
  }

  boolean isDue(Instant now) {
    return !paused && (unplanned || nextAt != null && !nextAt.isAfter(now));
  }

  DueSchedule due(Instant now) {
    return new DueSchedule(
        schedule.name(), version, schedule.timing(), schedule.missed(), anchor, since, nextAt, now);
  }

  ScheduleView view() {
    return new ScheduleView(
        schedule.name(),
        new ScheduleView.When(schedule.timing(), anchor, schedule.missed(), schedule.overlap()),
        new ScheduleView.Each(
            schedule.each().type(), schedule.each().queue(), schedule.each().payload()),
        paused,
        paused ? null : nextAt,
        new ScheduleView.Past(lastAt, lastTask, submitted, skipped),
        error);
  }
}
