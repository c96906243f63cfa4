package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.DueSchedule;
import dev.berth.store.Schedule;
import dev.berth.task.TaskId;
import dev.berth.view.ScheduleView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules: defined, due, paused, run by hand, removed. */
abstract class ScheduleContract extends ScheduleTest {

  @Test
  void anOccurrenceIsSubmittedAtItsTime() {
    Instant before = fixture.now();
    Instant first = set(hourly());

    assertThat(Duration.between(before, first)).isBetween(HOUR.minusMillis(1), HOUR.plusMinutes(5));
    passAndWork(HOUR.minusMinutes(10));
    assertThat(tasks()).isEmpty();
    passAndWork(Duration.ofMinutes(20));

    assertThat(occurrences()).containsExactly(first);
    assertThat(next()).isEqualTo(first.plus(HOUR));
    ScheduleView schedule = schedule();
    assertThat(schedule.past().lastAt()).isEqualTo(first);
    assertThat(schedule.past().lastTask()).isEqualTo(Schedule.taskOf(NAME, first));
    assertThat(schedule.past().submitted()).isEqualTo(1);
    assertThat(schedule.error()).isNull();
  }

  @Test
  void anOccurrenceWhoseIdBelongsToAnotherTaskIsLeftOut() {
    Instant first = set(hourly());
    submit(Draft.task().type("other").ownId(Schedule.taskOf(NAME, first)));
    passAndWork(HOUR.plusMinutes(5));

    assertThat(schedule().error()).contains("belongs to a task of type other");
    assertThat(next()).isEqualTo(first.plus(HOUR));

    passAndWork(HOUR);
    assertThat(schedule().past().submitted()).isEqualTo(1);
    assertThat(schedule().error()).isNull();
  }

  @Test
  void aRunUnderTheIdOfAnotherTaskIsAConflict() {
    set(hourly());
    TaskId other = submit(Draft.task().type("other")).id();

    assertThatThrownBy(() -> run(other)).hasMessageContaining("belongs to a task of type other");
  }

  @Test
  void theTaskIsWhatWasSaid() {
    Limit gpu = Limit.of("gpu", 3);
    Instant first =
        set(
            submitting(
                Draft.task()
                    .type("report")
                    .queue("reports")
                    .priority(8)
                    .payload("{\"of\": \"all\"}")
                    .metadata(Map.of("tenant", "a"))
                    .under(gpu, 2)
                    .quota(LimitKey.ofType("report"), 5, WhenFull.REFUSE)));
    passAndWork(HOUR);

    Claim claim = Claimer.open(store, "worker", "report").claim(1, "reports").getFirst();
    assertThat(claim.lease().task()).isEqualTo(Schedule.taskOf(NAME, first));
    assertThat(claim.priority()).isEqualTo(8);
    assertThat(claim.payload()).isEqualTo("{\"of\": \"all\"}");
    assertThat(claim.metadata())
        .containsOnly(
            Map.entry("tenant", "a"),
            Map.entry("berth.schedule", NAME),
            Map.entry("berth.occurrence", first.toString()));
    assertThat(reader.limits())
        .filteredOn(limit -> limit.key().equals(gpu.key()))
        .singleElement()
        .satisfies(limit -> assertThat(limit.used()).isEqualTo(2));
    assertThat(reader.quotas())
        .extracting(quota -> quota.key().value())
        .contains("type/report", "schedule/" + NAME);
  }

  @Test
  void itIsListed() {
    Instant first = set(hourly());

    ScheduleView schedule = schedule();
    assertThat(schedule.when().timing()).isEqualTo(new Timing.Every(HOUR));
    assertThat(schedule.when().missed()).isEqualTo(Missed.ONCE);
    assertThat(schedule.when().overlap()).isEqualTo(Overlap.SKIP);
    assertThat(schedule.each().type()).isEqualTo(Draft.TYPE);
    assertThat(schedule.each().queue()).isEqualTo("default");
    assertThat(schedule.each().payload()).isEqualTo("{}");
    assertThat(schedule.paused()).isFalse();
    assertThat(schedule.past().lastAt()).isNull();
    assertThat(schedule.upcoming(3))
        .containsExactly(first, first.plus(HOUR), first.plus(HOUR.multipliedBy(2)));
  }

  @Test
  void aSweepTellsWhenTheNextIsDue() {
    set(hourly());
    submit(Draft.task().delay(HOUR.multipliedBy(2)));

    assertThat(store.sweep().nextDue()).isBetween(HOUR.minusMinutes(5), HOUR);
    store.apply(new Command.PauseSchedule(NAME));
    assertThat(store.sweep().nextDue()).isGreaterThan(HOUR);
  }

  @Test
  void theSameDefinitionAgainChangesNothing() {
    Instant first = set(hourly());
    fixture.advance(Duration.ofMinutes(30));

    assertThat(store.apply(new Command.SetSchedule(hourly()))).isEqualTo(Applied.UNCHANGED);
    work();

    assertThat(next()).isEqualTo(first);
  }

  @Test
  void whatIsDueStaysDueWhenOnlyTheTaskIsAnother() {
    Instant first = set(hourly());
    fixture.advance(HOUR);
    store.apply(new Command.SetSchedule(submitting(Draft.task().type("other"))));
    work();

    assertThat(occurrences()).containsExactly(first);
    assertThat(tasks()).singleElement().satisfies(t -> assertThat(t.type()).isEqualTo("other"));
  }

  @Test
  void otherTimesBeginAnew() {
    Instant first = set(hourly());
    fixture.advance(HOUR);

    Instant other = set(every(Duration.ofHours(5), Missed.ONCE, Overlap.SKIP));

    assertThat(Duration.between(first, other))
        .isBetween(Duration.ofHours(5).minusMinutes(5), Duration.ofHours(5).plusMinutes(5));
    assertThat(tasks()).isEmpty();
  }

  @Test
  void whatFallsIntoAPauseIsLeftOut() {
    Instant first = set(hourly());

    assertThat(store.apply(new Command.PauseSchedule(NAME))).isEqualTo(Applied.DONE);
    assertThat(store.apply(new Command.PauseSchedule(NAME))).isEqualTo(Applied.UNCHANGED);
    assertThat(schedule().paused()).isTrue();
    assertThat(schedule().nextAt()).isNull();
    passAndWork(HOUR.multipliedBy(3));
    assertThat(tasks()).isEmpty();
    assertThat(store.apply(new Command.ResumeSchedule(NAME))).isEqualTo(Applied.DONE);
    assertThat(store.apply(new Command.ResumeSchedule(NAME))).isEqualTo(Applied.UNCHANGED);
    work();

    assertThat(tasks()).isEmpty();
    assertThat(next()).isEqualTo(first.plus(HOUR.multipliedBy(3)));
  }

  @Test
  void aNewDefinitionLeavesAPauseAsItIs() {
    set(hourly());
    store.apply(new Command.PauseSchedule(NAME));
    store.apply(new Command.SetSchedule(every(Duration.ofMinutes(1), Missed.ALL, Overlap.QUEUE)));
    passAndWork(HOUR);

    assertThat(tasks()).isEmpty();
    assertThat(schedule().paused()).isTrue();
  }

  @Test
  void aRunByHandIsBesidesAllOccurrences() {
    Instant first = set(every(HOUR, Missed.ONCE, Overlap.QUEUE));
    TaskId id = TaskId.next();

    assertThat(run(id)).isEqualTo(Applied.DONE);
    assertThat(run(id)).isEqualTo(Applied.UNCHANGED);

    assertThat(tasks()).singleElement().satisfies(task -> assertThat(task.id()).isEqualTo(id));
    assertThat(next()).isEqualTo(first);
    store.apply(new Command.PauseSchedule(NAME));
    assertThat(run(TaskId.next())).isEqualTo(Applied.DONE);
    assertThat(schedule().past().submitted()).isEqualTo(2);
  }

  @Test
  void aRemovedScheduleSubmitsNoMore() {
    set(hourly());
    passAndWork(HOUR);
    fixture.advance(HOUR);
    List<DueSchedule> due = store.sweep().schedules();

    assertThat(store.apply(new Command.RemoveSchedule(NAME))).isEqualTo(Applied.DONE);
    due.forEach(each -> store.advance(each.advance()));
    passAndWork(HOUR);

    assertThat(reader.schedules()).isEmpty();
    assertThat(tasks()).hasSize(1);
  }

  @Test
  void whatIsNotThereCannotBeChanged() {
    assertThat(store.apply(new Command.PauseSchedule(NAME))).isEqualTo(Applied.NOT_FOUND);
    assertThat(store.apply(new Command.ResumeSchedule(NAME))).isEqualTo(Applied.NOT_FOUND);
    assertThat(store.apply(new Command.RemoveSchedule(NAME))).isEqualTo(Applied.NOT_FOUND);
    assertThat(run(TaskId.next())).isEqualTo(Applied.NOT_FOUND);
  }

  @Test
  void aFullQuotaOfTheTypeIsAnErrorThatIsSeen() {
    LimitKey key = LimitKey.ofType(Draft.TYPE);
    submit(Draft.task().quota(key, 1, WhenFull.REFUSE));
    Instant first = set(submitting(Draft.task().quota(key, 1, WhenFull.REFUSE)));
    passAndWork(HOUR);

    assertThat(tasks()).hasSize(1);
    assertThat(schedule().error())
        .isEqualTo("the task of " + first + " was not submitted: the quota type/mail is full");
    assertThat(run(TaskId.next())).isEqualTo(Applied.QUOTA_FULL);
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FINISHED);
    passAndWork(HOUR);

    assertThat(schedule().error()).isNull();
    assertThat(schedule().past().submitted()).isEqualTo(1);
  }

  @Test
  void namesCanBeAnything() {
    String name = "a/b%c 'd' \"e\" ☕";
    Schedule odd =
        new Schedule(
            name, new Timing.Every(HOUR), Missed.ONCE, Overlap.SKIP, Draft.task().submission());
    store.apply(new Command.SetSchedule(odd));
    work();
    passAndWork(HOUR);

    assertThat(reader.schedules()).extracting(ScheduleView::name).containsExactly(name);
    assertThat(claimer().claimOne().metadata()).containsEntry("berth.schedule", name);
    assertThat(reader.limits())
        .extracting(limit -> limit.key())
        .contains(LimitKey.ofSchedule(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.099S", "P36501D", "PT1.0005S"})
  void aRateThatIsNoneIsRefused(Duration period) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.SetSchedule(every(period, Missed.ONCE, Overlap.SKIP)))
        .withMessageStartingWith("Schedule nightly: it cannot run every " + period + ": use ");
  }
}
