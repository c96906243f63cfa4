package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each occurrence once, whatever was missed, overlaps, crashes or comes late. */
@Tag("race")
abstract class ScheduleRaceContract extends ScheduleTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Sessions outlive it without a heartbeat. */
  private static final Duration WITHIN_A_LEASE = Claimer.LEASE.multipliedBy(2).dividedBy(3);

  @Test
  void missedOnceRunsTheLatest() {
    Instant first = set(hourly());
    passAndWork(HOUR.multipliedBy(5).plusMinutes(10));

    assertThat(occurrences()).containsExactly(first.plus(HOUR.multipliedBy(4)));
    assertThat(next()).isEqualTo(first.plus(HOUR.multipliedBy(5)));
  }

  @Test
  void missedAllRunsEachOneAfterAnother() {
    Instant first = set(every(HOUR, Missed.ALL, Overlap.SKIP));
    passAndWork(HOUR.multipliedBy(5).plusMinutes(10));

    assertThat(occurrences()).containsExactlyElementsOf(hoursFrom(first, 5));
    assertThat(next()).isEqualTo(first.plus(HOUR.multipliedBy(5)));
    Claimer claimer = claimer();
    for (int i = 0; i < 5; i++) {
      List<Claim> claims = claimer.claim(10);
      assertThat(claims).hasSize(1);
      claimer.end(claims.getFirst(), FINISHED);
    }
  }

  @Test
  void missedAllOfALongTimeComesInParts() {
    set(every(SECOND, Missed.ALL, Overlap.SKIP));
    int missed = 2 * DueSchedule.MOST + 1;
    fixture.advance(SECOND.multipliedBy(missed));
    while (!store.sweep().schedules().isEmpty()) {
      work();
    }

    assertThat(occurrences()).hasSizeGreaterThanOrEqualTo(missed).doesNotHaveDuplicates();
    assertThat(schedule().past().skipped())
        .isLessThan(5); // those of seconds that the test itself took
  }

  @Test
  void missedNoneRunsWhatIsOnTimeAndNothingElse() {
    Instant first = set(every(HOUR, Missed.NONE, Overlap.SKIP));
    passAndWork(HOUR.multipliedBy(4).minusMinutes(10));
    assertThat(occurrences()).isEmpty();
    assertThat(next()).isEqualTo(first.plus(HOUR.multipliedBy(3)));
    fixture.advance(Duration.between(fixture.now(), next()).plusMillis(1));
    work();

    assertThat(occurrences()).containsExactly(first.plus(HOUR.multipliedBy(3)));
  }

  /** The id of a task has the time in it; what overlaps must not. */
  @Test
  void skipLeavesOutWhatComesWhileAnEarlierOneIsPendingOrRunning() {
    Instant first = set(every(WITHIN_A_LEASE, Missed.ONCE, Overlap.SKIP));
    passAndWork(WITHIN_A_LEASE);
    passAndWork(WITHIN_A_LEASE);
    Claim claim = claimer().claimOne();
    passAndWork(WITHIN_A_LEASE);

    assertThat(schedule().past().skipped()).isEqualTo(2);
    assertThat(schedule().past().submitted()).isEqualTo(1);
    assertThat(occurrences()).containsExactly(first);
    assertThat(run(TaskId.next())).isEqualTo(Applied.UNCHANGED);
    assertThat(tasks()).extracting(TaskView::id).containsExactly(claim.lease().task());
  }

  @Test
  void skipGoesOnOnceTheEarlierOneIsOver() {
    Instant first = set(hourly());
    passAndWork(HOUR);
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FAILED);
    passAndWork(HOUR);

    assertThat(occurrences()).containsExactlyElementsOf(hoursFrom(first, 2));
    assertThat(schedule().past().skipped()).isZero();
  }

  @Test
  void queuedOnesRunOneAfterAnother() {
    Instant first = set(every(HOUR, Missed.ONCE, Overlap.QUEUE));
    passAndWork(HOUR);
    passAndWork(HOUR);
    passAndWork(HOUR);

    assertThat(occurrences()).containsExactlyElementsOf(hoursFrom(first, 3));
    Claimer claimer = claimer();
    Claim running = claimer.claimOne();
    assertThat(running.metadata()).containsEntry("berth.occurrence", first.toString());
    assertThat(claimer().claim(10)).isEmpty();
    claimer.end(running, FINISHED);
    assertThat(claimer.claimOne().metadata())
        .containsEntry("berth.occurrence", first.plus(HOUR).toString());
  }

  @Test
  void olderOnesAreCancelledAndTheNewestWaitsUntilTheyHaveStopped() {
    Instant first = set(every(WITHIN_A_LEASE, Missed.ONCE, Overlap.CANCEL_OLDER));
    passAndWork(WITHIN_A_LEASE);
    Claimer claimer = claimer();
    Claim running = claimer.claimOne();
    passAndWork(WITHIN_A_LEASE);
    claimer.heartbeat();
    passAndWork(WITHIN_A_LEASE);

    assertThat(claimer.heartbeat().cancelled()).containsExactly(running.lease());
    assertThat(tasks())
        .extracting(TaskView::state)
        .containsExactlyInAnyOrder(TaskState.RUNNING, TaskState.CANCELLED, TaskState.PENDING);
    assertThat(claimer().claim(10)).isEmpty();
    claimer.end(running, new Outcome.Cancelled("stopped"));
    assertThat(claimer.claimOne().metadata())
        .containsEntry("berth.occurrence", first.plus(WITHIN_A_LEASE.multipliedBy(2)).toString());
  }

  @Test
  void aRepeatedRunDoesNotCancelItself() {
    set(every(HOUR, Missed.ONCE, Overlap.CANCEL_OLDER));
    TaskId id = TaskId.next();
    run(id);

    assertThat(run(id)).isEqualTo(Applied.UNCHANGED);
    assertThat(state(id)).isEqualTo(TaskState.PENDING);
    run(TaskId.next());
    assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
  }

  @Test
  void whoComesLateChangesNothing() {
    set(every(HOUR, Missed.ONCE, Overlap.QUEUE));
    fixture.advance(HOUR);
    DueSchedule due = store.sweep().schedules().getFirst();
    work();

    assertThat(store.advance(due.advance())).isFalse();
    passAndWork(HOUR);
    assertThat(store.advance(due.advance())).isFalse();
    assertThat(tasks()).hasSize(2);
  }

  /** What was found due before a pause, or before other times were set, is not submitted after. */
  @Test
  void whatWasFoundDueBeforeAChangeIsNotSubmittedAfterIt() {
    set(hourly());
    fixture.advance(HOUR);
    DueSchedule before = store.sweep().schedules().getFirst();
    store.apply(new Command.PauseSchedule(NAME));
    assertThat(store.advance(before.advance())).isFalse();
    store.apply(new Command.ResumeSchedule(NAME));
    work();
    fixture.advance(HOUR);
    before = store.sweep().schedules().getFirst();
    set(every(Duration.ofHours(9), Missed.ONCE, Overlap.SKIP));

    assertThat(store.advance(before.advance())).isFalse();
    assertThat(tasks()).isEmpty();
  }

  /**
   * A removed schedule that comes back with the same times is not the old one; but no occurrence of
   * its name is submitted twice.
   */
  @Test
  void anOccurrenceIsSubmittedOnceAlsoIfItsScheduleIsMadeAnew() {
    set(hourly());
    fixture.advance(HOUR);
    DueSchedule due = store.sweep().schedules().getFirst();
    work();
    store.apply(new Command.RemoveSchedule(NAME));
    store.apply(new Command.SetSchedule(hourly()));

    assertThat(store.advance(due.advance())).isFalse();
    assertThat(tasks()).hasSize(1);
  }

  /**
   * Four workers for a minute, one of which always stops between finding out what is due and
   * submitting it, and comes back much later, while the sessions of those that claim expire.
   */
  @Test
  void everySecondForAMinuteUnderManyWorkersWithCrashesIsSixtyOccurrences() throws Exception {
    Instant first = set(every(SECOND, Missed.ALL, Overlap.QUEUE));
    List<DueSchedule> dead = new ArrayList<>();
    for (int second = 0; second < 60; second++) {
      int crashing = second % 4;
      fixture.advance(SECOND);
      List<List<DueSchedule>> left =
          Together.run(
              4,
              number -> {
                List<DueSchedule> due = store.sweep().schedules();
                if (number == crashing) {
                  return due;
                }
                due.forEach(each -> store.advance(each.advance()));
                return List.of();
              });
      left.forEach(dead::addAll);
      if (second % 10 == 5) {
        claimer().claim(10); // and is never heard of again
      }
    }
    work();
    Together.run(
        4, number -> dead.stream().map(each -> store.advance(each.advance())).distinct().toList());

    List<Instant> times = occurrences();
    assertThat(times).doesNotHaveDuplicates();
    assertThat(times.subList(0, 60))
        .containsExactlyElementsOf(
            IntStream.range(0, 60).mapToObj(i -> first.plusSeconds(i)).toList());
    assertThat(schedule().past().submitted()).isEqualTo(times.size());
  }

  @Test
  void manySchedulesAreDueAtOnce() throws Exception {
    for (int i = 0; i < 50; i++) {
      store.apply(
          new Command.SetSchedule(
              new Schedule(
                  "s" + i,
                  new Timing.Every(HOUR),
                  Missed.ONCE,
                  Overlap.SKIP,
                  Draft.task().submission())));
    }
    work();
    fixture.advance(HOUR);
    Together.run(
        4,
        number ->
            store.sweep().schedules().stream().map(each -> store.advance(each.advance())).toList());
    work();

    assertThat(tasks())
        .hasSize(50)
        .extracting(task -> task.input().metadata().get("berth.schedule"))
        .doesNotHaveDuplicates();
  }

  private static List<Instant> hoursFrom(Instant first, int count) {
    return Stream.iterate(first, time -> time.plus(HOUR)).limit(count).toList();
  }
}
