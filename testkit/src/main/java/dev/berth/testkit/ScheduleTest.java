package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.task.TaskId;
import dev.berth.view.ScheduleView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Short words for tests of schedules. */
abstract class ScheduleTest extends ContractTest {

  static final String NAME = "nightly";

  /** Far longer than a test takes: the clock of a store may run by itself. */
  static final Duration HOUR = Duration.ofHours(1);

  static Schedule hourly() {
    return every(HOUR, Missed.ONCE, Overlap.SKIP);
  }

  static Schedule every(Duration period, Missed missed, Overlap overlap) {
    return new Schedule(NAME, new Timing.Every(period), missed, overlap, Draft.task().submission());
  }

  static Schedule submitting(Draft draft) {
    return new Schedule(
        NAME, new Timing.Every(HOUR), Missed.ONCE, Overlap.SKIP, draft.submission());
  }

  /** Stores it, and finds its first time as a worker does. */
  Instant set(Schedule schedule) {
    assertThat(store.apply(new Command.SetSchedule(schedule))).isEqualTo(Applied.DONE);
    work();
    return next();
  }

  /** Sweeps and advances what is due, as a worker does. */
  void work() {
    for (DueSchedule due : store.sweep().schedules()) {
      store.advance(due.advance());
    }
  }

  /** Lets time pass and does what a worker does. */
  void passAndWork(Duration time) {
    fixture.advance(time);
    work();
  }

  ScheduleView schedule() {
    return reader.schedules().stream()
        .filter(each -> each.name().equals(NAME))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No schedule " + NAME));
  }

  Instant next() {
    Instant next = schedule().nextAt();
    if (next == null) {
      throw new AssertionError("No next time: " + schedule());
    }
    return next;
  }

  /** The times of the occurrences that were submitted, oldest first. */
  List<Instant> occurrences() {
    return tasks().stream()
        .map(task -> Instant.parse(task.input().metadata().get(Schedule.OCCURRENCE)))
        .sorted()
        .toList();
  }

  List<TaskView> tasks() {
    return reader.list(TaskFilter.ALL.most(10_000));
  }

  Applied run(TaskId id) {
    return store.apply(new Command.RunSchedule(NAME, id));
  }
}
