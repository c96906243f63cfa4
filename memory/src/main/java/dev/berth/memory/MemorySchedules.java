package dev.berth.memory;

import dev.berth.limit.Lane;
import dev.berth.limit.LimitKey;
import dev.berth.schedule.Overlap;
import dev.berth.store.Advance;
import dev.berth.store.Applied;
import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.ScheduleView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The schedules and what is submitted for them. Guarded by the lock of the store. */
final class MemorySchedules {

  private final Map<String, MemorySchedule> all = new TreeMap<>();
  private final MemorySubmits submits;
  private final MemoryAttempts attempts;
  private final MemoryQuotas quotas;
  private final WakeUps wakeUps;
  private long versions;

  MemorySchedules(
      MemorySubmits submits, MemoryAttempts attempts, MemoryQuotas quotas, WakeUps wakeUps) {
    this.submits = submits;
    this.attempts = attempts;
    this.quotas = quotas;
    this.wakeUps = wakeUps;
  }

  Applied set(Schedule schedule, Instant now) {
    Instant since = now.truncatedTo(ChronoUnit.MILLIS);
    MemorySchedule known = all.get(schedule.name());
    if (known != null && known.schedule.equals(schedule) && known.error == null) {
      return Applied.UNCHANGED;
    }
    MemorySchedule set = known == null ? new MemorySchedule(schedule, since) : known;
    boolean otherTimes = known == null || !known.schedule.timing().equals(schedule.timing());
    set.schedule = schedule;
    set.version = ++versions;
    if (otherTimes) {
      set.anchor = since;
    }
    if (otherTimes || !set.unplanned && set.nextAt == null) {
      set.planFrom(since);
    }
    set.error = null;
    all.put(schedule.name(), set);
    wakeUps.add(schedule.each().queue(), WakeUps.SOON);
    return Applied.DONE;
  }

  Applied pause(String name) {
    return change(name, schedule -> !schedule.paused, schedule -> schedule.paused = true);
  }

  Applied resume(String name, Instant now) {
    return change(
        name,
        schedule -> schedule.paused,
        schedule -> {
          schedule.paused = false;
          schedule.planFrom(now);
          wakeUps.add(schedule.schedule.each().queue(), WakeUps.SOON);
        });
  }

  Applied remove(String name) {
    return all.remove(name) == null ? Applied.NOT_FOUND : Applied.DONE;
  }

  Applied run(String name, TaskId task, Instant now) {
    MemorySchedule schedule = all.get(name);
    if (schedule == null) {
      return Applied.NOT_FOUND;
    }
    Submission submission = schedule.schedule.submission(task, now.truncatedTo(ChronoUnit.MILLIS));
    submits.checkSame(List.of(submission));
    if (!makeWay(schedule.schedule, task, now)) {
      return Applied.UNCHANGED;
    }
    return switch (submits.submit(submission, now)) {
      case Submitted.Accepted accepted -> {
        schedule.submitted++;
        schedule.lastTask = task;
        yield Applied.DONE;
      }
      case Submitted.Existing existing -> Applied.UNCHANGED;
      case Submitted.QuotaFull full -> Applied.QUOTA_FULL;
    };
  }

  boolean advance(Advance advance, Instant now) {
    MemorySchedule schedule = all.get(advance.schedule());
    if (schedule == null || schedule.version != advance.version() || schedule.paused) {
      return false;
    }
    schedule.version = ++versions;
    schedule.unplanned = false;
    schedule.nextAt = advance.next();
    schedule.error = advance.error();
    List<Instant> occurrences = advance.occurrences();
    if (occurrences.isEmpty()) {
      return true;
    }
    schedule.lastAt = occurrences.getLast();
    TaskId first = Schedule.taskOf(advance.schedule(), occurrences.getFirst());
    if (!advance.catchingUp() && !makeWay(schedule.schedule, first, now)) {
      schedule.skipped += occurrences.size();
      return true;
    }
    occurrences.forEach(occurrence -> submit(schedule, occurrence, now));
    return true;
  }

  List<DueSchedule> due(Instant now) {
    return all.values().stream()
        .filter(schedule -> schedule.isDue(now))
        .map(schedule -> schedule.due(now))
        .toList();
  }

  /** How long until a schedule is due that is not due now. */
  @Nullable Duration nextDue(Instant now) {
    return all.values().stream()
        .filter(schedule -> !schedule.paused)
        .flatMap(schedule -> Optional.ofNullable(schedule.nextAt).stream())
        .filter(next -> next.isAfter(now))
        .min(Instant::compareTo)
        .map(next -> Duration.between(now, next))
        .orElse(null);
  }

  List<Lane> lanes() {
    return all.values().stream().map(schedule -> schedule.schedule.each().lane()).toList();
  }

  List<ScheduleView> views() {
    return all.values().stream().map(MemorySchedule::view).toList();
  }

  private void submit(MemorySchedule schedule, Instant occurrence, Instant now) {
    TaskId id = Schedule.taskOf(schedule.schedule.name(), occurrence);
    Submission submission = schedule.schedule.submission(id, occurrence);
    try {
      submits.checkSame(List.of(submission));
    } catch (StoreException conflict) { // it goes on without this one
      schedule.error = conflict.getMessage();
      return;
    }
    switch (submits.submit(submission, now)) {
      case Submitted.Accepted accepted -> {
        schedule.submitted++;
        schedule.lastTask = id;
      }
      case Submitted.Existing existing -> {}
      case Submitted.QuotaFull full ->
          schedule.error =
              "the task of %s was not submitted: the quota %s is full"
                  .formatted(occurrence, full.key());
    }
  }

  /** Whether another task may be submitted; where older ones give way, they are cancelled. */
  private boolean makeWay(Schedule schedule, TaskId by, Instant now) {
    List<MemoryTask> older = List.copyOf(quotas.under(LimitKey.ofSchedule(schedule.name())));
    if (schedule.overlap() == Overlap.CANCEL_OLDER) {
      older.stream()
          .filter(task -> !task.id().equals(by)) // a repeat does not cancel what it asks for
          .forEach(task -> cancel(task, "cancelled for task " + by, now));
    }
    return schedule.overlap() != Overlap.SKIP || older.isEmpty();
  }

  private void cancel(MemoryTask task, String reason, Instant now) {
    if (task.state != TaskState.RUNNING) {
      attempts.cancel(task, reason, now);
    } else if (task.cancelReason == null) {
      task.cancelReason = reason;
    }
  }

  private Applied change(
      String name, Predicate<MemorySchedule> differs, Consumer<MemorySchedule> change) {
    MemorySchedule schedule = all.get(name);
    if (schedule == null) {
      return Applied.NOT_FOUND;
    }
    if (!differs.test(schedule)) {
      return Applied.UNCHANGED;
    }
    change.accept(schedule);
    schedule.version = ++versions;
    return Applied.DONE;
  }
}
