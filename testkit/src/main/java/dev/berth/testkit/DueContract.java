package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.store.Claim;
import dev.berth.store.Swept;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.value.Durations;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Due times: not before, and in their order after. */
abstract class DueContract extends ContractTest {

  @Test
  void aDelayedTaskStartsOnceItIsDue() {
    TaskId id = submit(Draft.task().delay(Duration.ofMinutes(5))).id();

    TaskView task = view(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.times().due())
        .isCloseTo(
            task.times().submitted().plus(Duration.ofMinutes(5)), within(1, ChronoUnit.SECONDS));
    pass(Duration.ofMinutes(4));
    assertThat(claimer().claim(10)).isEmpty();
    fixture.advance(Duration.ofMinutes(1));

    assertThat(store.sweep().promoted()).isEqualTo(1);
    Claim claim = claimer().claimOne();
    assertThat(claim.lease().task()).isEqualTo(id);
    assertThat(claim.dueAt()).isEqualTo(task.times().due());
  }

  @Test
  void aTaskDueAtAnInstantStartsOnceItIsDue() {
    Instant due = fixture.now().plus(Duration.ofDays(3)).truncatedTo(ChronoUnit.MILLIS);
    TaskId id = submit(Draft.task().due(Due.at(due))).id();

    assertThat(view(id).times().due()).isEqualTo(due);
    pass(Duration.ofDays(3).minusMinutes(1));
    assertThat(claimer().claim(10)).isEmpty();
    pass(Duration.ofMinutes(1));

    assertThat(claimer().claimIds(10)).containsExactly(id);
  }

  @Test
  void aDueTimeInThePastMeansAtOnce() {
    List<TaskId> ids =
        submitAll(
            Draft.task().due(Due.at(fixture.now().minus(Duration.ofDays(1)))),
            Draft.task().due(Due.at(Instant.EPOCH)),
            Draft.task().due(Due.at(Instant.MIN)));
    store.sweep();

    assertThat(claimer().claimIds(10)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void aTaskMayBeDueInTheFarFuture() {
    List<TaskId> ids =
        submitAll(Draft.task().due(Due.at(Due.LATEST)), Draft.task().delay(Durations.LONGEST));
    pass(Duration.ofDays(300));

    assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(TaskState.PENDING));
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void aSweepCountsAllThatItDid() {
    submitOne();
    claimer().claimOne();
    submitAll(
        Stream.generate(() -> Draft.task().delay(Duration.ofSeconds(1)))
            .limit(1_100)
            .toArray(Draft[]::new));
    fixture.advance(LEASE_OVER);
    Swept swept = store.sweep();

    assertThat(List.of(swept.promoted(), swept.sessionsExpired(), swept.tasksReturned()))
        .containsExactly(1_100, 1, 1);
  }

  @Test
  void tasksPromotedTogetherStartInTheOrderOfTheirDueTimes() {
    List<TaskId> ids =
        submitAll(
            Draft.task().delay(Duration.ofSeconds(30)),
            Draft.task().delay(Duration.ofSeconds(10)),
            Draft.task().delay(Duration.ofSeconds(20)));
    pass(Duration.ofMinutes(1));

    assertThat(claimer().claimIds(10)).containsExactly(ids.get(1), ids.get(2), ids.get(0));
  }

  @Test
  void aPromotedTaskComesAfterWhatWasReadyBefore() {
    TaskId delayed = submit(Draft.task().delay(Duration.ofSeconds(10))).id();
    TaskId urgent = submit(Draft.task().delay(Duration.ofSeconds(10)).priority(9)).id();
    fixture.advance(Duration.ofSeconds(20));
    TaskId ready = submitOne();
    pass(Duration.ofSeconds(1));

    assertThat(claimer().claimIds(10)).containsExactly(urgent, ready, delayed);
  }

  @Test
  void aSweepTellsWhenTheNextTaskIsDue() {
    assertThat(store.sweep().nextDue()).isNull();
    submitAll(
        Draft.task().delay(Duration.ofMinutes(10)),
        Draft.task().queue("other").delay(Duration.ofMinutes(5)));

    Swept swept = store.sweep();

    assertThat(swept.promoted()).isZero();
    assertThat(swept.nextDue()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
    fixture.advance(Duration.ofMinutes(6));
    assertThat(store.sweep().nextDue()).isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
    fixture.advance(Duration.ofMinutes(6));
    assertThat(store.sweep().nextDue()).isNull();
  }

  @Test
  void sweepsFromManyProcessesPromoteATaskOnce() throws Exception {
    for (int i = 0; i < 100; i++) {
      submit(Draft.task().delay(Duration.ofSeconds(10)));
    }
    fixture.advance(Duration.ofSeconds(20));

    List<Swept> sweeps = Together.run(4, number -> store.sweep());
    int late = store.sweep().promoted();

    assertThat(sweeps.stream().mapToInt(Swept::promoted).sum() + late).isEqualTo(100);
    assertThat(claimer().claim(200)).hasSize(100);
  }

  @Test
  void manyTasksDueAtOnceAreAllPromoted() {
    for (int i = 0; i < 3; i++) {
      submitAll(
          Stream.generate(() -> Draft.task().delay(Duration.ofSeconds(10)))
              .limit(1_000)
              .toArray(Draft[]::new));
    }
    fixture.advance(Duration.ofSeconds(20));

    int promoted = 0;
    for (Swept swept = store.sweep(); swept.promoted() > 0; swept = store.sweep()) {
      promoted += swept.promoted();
    }

    assertThat(promoted).isEqualTo(3_000);
    assertThat(claimer().claim(5_000)).hasSize(3_000);
  }
}
