package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Lease;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.Explanation;
import dev.berth.view.Explanation.Held;
import dev.berth.view.Explanation.Line;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.Obstacle;
import dev.berth.view.Obstacle.LimitPaused;
import dev.berth.view.Obstacle.NoRoom;
import dev.berth.view.Obstacle.NoWorker;
import dev.berth.view.Obstacle.NotDue;
import dev.berth.view.Obstacle.QueuePaused;
import dev.berth.view.Obstacle.Why;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Explaining: why a task does not run, who is in its way, and how long it will take. */
abstract class ExplainContract extends LimitTest {

  private static final Limit WIDE = Limit.of("wide", 50);
  private static final LimitKey USER_RULE = LimitKey.ruleOf(Draft.TYPE, "user");
  private static final LimitKey USER = LimitKey.ofTypePer(Draft.TYPE, "user", "7");

  @Test
  void anUnknownTaskHasNoExplanation() {
    assertThat(reader.explain(TaskId.next())).isEmpty();
  }

  @Test
  void aTaskThatNothingKeepsWaitsInLine() {
    claimer();
    TaskId id = submitOne();

    assertThat(waiting(id).obstacles()).isEmpty();
    assertThat(waiting(id).line()).isEqualTo(new Line(0, false));
    assertThat(waiting(id).task()).isEqualTo(view(id));
  }

  @Test
  void aTaskThatIsDueLaterIsNotInLine() {
    claimer();
    TaskId id = submit(Draft.task().delay(Duration.ofHours(1))).id();

    assertThat(waiting(id).obstacles()).containsExactly(new NotDue(view(id).times().due()));
    assertThat(waiting(id).line()).isNull();
    assertThat(waiting(id).estimate()).isNull();
  }

  @Test
  void aTaskThatIsTriedAgainLaterIsNotDue() {
    Claimer claimer = claimer();
    TaskId id = submitOne();
    claimer.end(claimer.claimOne(), retryIn(Duration.ofMinutes(5)));

    assertThat(waiting(id).task().state()).isEqualTo(TaskState.RETRYING);
    assertThat(waiting(id).obstacles()).containsExactly(new NotDue(view(id).times().due()));
  }

  @Test
  void aTaskThatHasBecomeDueIsNotHeldBackByItsDueTime() {
    TaskId id = submit(Draft.task().delay(Duration.ofSeconds(1))).id();
    claimer();
    fixture.advance(Duration.ofSeconds(5));

    assertThat(waiting(id).obstacles()).isEmpty();
  }

  @Test
  void aPausedQueueIsNamed() {
    claimer();
    TaskId id = submitOne();
    store.apply(new Command.PauseQueue("default"));

    assertThat(waiting(id).obstacles()).containsExactly(new QueuePaused("default"));
    store.apply(new Command.ResumeQueue("default"));
    assertThat(waiting(id).obstacles()).isEmpty();
  }

  @Test
  void aTaskWithoutAWorkerForItsTypeAndQueueSaysSo() {
    TaskId mail = submitOne();
    TaskId letter = submit(Draft.task().queue("letters")).id();
    assertThat(waiting(mail).obstacles()).containsExactly(new NoWorker(Draft.TYPE, "default"));

    claimer("print");
    assertThat(waiting(mail).obstacles()).containsExactly(new NoWorker(Draft.TYPE, "default"));
    claimer();
    assertThat(waiting(mail).obstacles()).isEmpty();
    assertThat(waiting(letter).obstacles()).containsExactly(new NoWorker(Draft.TYPE, "letters"));

    fixture.advance(LEASE_OVER);
    assertThat(waiting(mail).obstacles()).containsExactly(new NoWorker(Draft.TYPE, "default"));
  }

  @Test
  void theTasksBeforeItInItsLineAreCounted() {
    List<TaskId> open = submitMany(3);
    submitAll(
        Draft.task().priority(9),
        Draft.task().priority(2),
        Draft.task().queue("letters").priority(9));
    List<TaskId> limited = submitLike(Draft.task().under(gpu(1)), 3);
    submitLike(Draft.task().under(gpu(1), 2).priority(9), 2);
    TaskId urgent = submit(Draft.task().under(gpu(1)).priority(7)).id();

    assertThat(open.stream().map(id -> ahead(id)).toList()).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(limited.stream().map(id -> ahead(id)).toList()).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(ahead(urgent)).isZero();
  }

  @Test
  void itsPlaceMovesUpWhenOthersStart() {
    List<TaskId> ids = submitMany(5);
    Claimer claimer = claimer();
    List<Claim> first = claimer.claim(4);
    TaskId left = ids.stream().filter(id -> !ids(first).contains(id)).findFirst().orElseThrow();

    assertThat(ahead(left)).isZero();
  }

  @Test
  void noMoreThanTenThousandAreCounted() {
    submitMany(Line.MOST);
    TaskId at = submitOne();
    TaskId behind = submitOne();

    assertThat(waiting(at).line()).isEqualTo(new Line(Line.MOST, false));
    assertThat(waiting(behind).line()).isEqualTo(new Line(Line.MOST, true));
  }

  @Test
  void aFullLimitIsNamedWithWhoHoldsItsSlots() {
    submitLike(Draft.task().under(gpu(2)), 2);
    List<Claim> running = claimAll(claimer(), 2);
    TaskId id = submit(Draft.task().under(gpu(2)).under(WIDE)).id();

    NoRoom full = noRoom(id);
    assertThat(full).isEqualTo(new NoRoom(GPU, 2, 2, 1, full.holders()));
    assertThat(full.why()).isEqualTo(Why.FULL);
    assertThat(full.holders())
        .extracting(Holder::token)
        .containsExactlyInAnyOrderElementsOf(
            running.stream().map(claim -> claim.lease().token()).toList());
    assertThat(full.holders())
        .allMatch(holder -> Draft.TYPE.equals(holder.type()) && holder.worker().equals("worker"));
  }

  @Test
  void everyLimitInTheWayIsNamed() {
    submit(Draft.task().under(gpu(1)).under(USER, 1));
    claimAll(claimer(), 1);
    TaskId id = submit(Draft.task().under(gpu(1)).under(USER, 1)).id();
    TaskId other =
        submit(Draft.task().under(gpu(1)).under(LimitKey.ofTypePer(Draft.TYPE, "user", "8"), 1))
            .id();

    assertThat(waiting(id).obstacles())
        .extracting(obstacle -> ((NoRoom) obstacle).key())
        .containsExactly(GPU, USER);
    assertThat(noRoom(other).key()).isEqualTo(GPU);
  }

  @Test
  void aHeavyTaskSaysHowMuchItNeeds() {
    submit(Draft.task().under(gpu(3)));
    submit(Draft.task().under(gpu(3)));
    claimAll(claimer(), 2);
    TaskId heavy = submit(Draft.task().under(gpu(3), 2)).id();
    TaskId tooHeavy = submit(Draft.task().under(gpu(3), 4)).id();

    assertThat(noRoom(heavy)).isEqualTo(new NoRoom(GPU, 3, 2, 2, noRoom(heavy).holders()));
    assertThat(noRoom(heavy).why()).isEqualTo(Why.FULL);
    assertThat(noRoom(tooHeavy).why()).isEqualTo(Why.TOO_SMALL);
  }

  @Test
  void aLimitWithoutSlotsIsClosed() {
    claimer();
    TaskId never = submit(Draft.task().under(gpu(0))).id();
    assertThat(noRoom(never)).isEqualTo(new NoRoom(GPU, 0, 0, 1, List.of()));
    assertThat(noRoom(never).why()).isEqualTo(Why.CLOSED);

    TaskId id = submit(Draft.task().under(WIDE)).id();
    assertThat(waiting(id).obstacles()).isEmpty();
    set(WIDE.key(), 0);
    assertThat(noRoom(id).why()).isEqualTo(Why.CLOSED);
  }

  @Test
  void aLoweredLimitDrains() {
    submitLike(Draft.task().under(gpu(4)), 5);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 4);
    set(GPU, 2);
    TaskId id = submit(Draft.task().under(gpu(4))).id();

    assertThat(noRoom(id)).isEqualTo(new NoRoom(GPU, 2, 4, 1, noRoom(id).holders()));
    assertThat(noRoom(id).why()).isEqualTo(Why.DRAINS);
    claimer.endAll(running, FINISHED);
    assertThat(waiting(id).obstacles()).isEmpty();
  }

  @Test
  void aPausedLimitIsNamed() {
    claimer();
    TaskId id = submit(Draft.task().under(gpu(1))).id();
    TaskId keyed = submit(Draft.task().under(USER, 1)).id();
    store.apply(new Command.PauseLimit(GPU));
    store.apply(new Command.PauseLimit(USER_RULE));

    assertThat(waiting(id).obstacles()).contains(new LimitPaused(GPU));
    assertThat(waiting(id).estimate()).isNull();
    assertThat(waiting(keyed).obstacles()).contains(new LimitPaused(USER));
    store.apply(new Command.ResumeLimit(USER_RULE));
    assertThat(waiting(keyed).obstacles()).isEmpty();
  }

  @Test
  void aRunningTaskSaysWhoRunsItAndWhatItHolds() {
    TaskId id = submit(Draft.task().under(gpu(3), 2).under(WIDE)).id();
    TaskId open = submitOne();
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 2)).hasSize(2);

    assertThat(reader.explain(id))
        .get(InstanceOfAssertFactories.type(Explanation.Running.class))
        .satisfies(running -> {
          assertThat(running.session()).isEqualTo(claimer.id());
          assertThat(running.task().report().worker()).isEqualTo("worker");
          assertThat(running.task().times().started()).isNotNull();
          assertThat(slots(running.held(), GPU)).isEqualTo(2);
          assertThat(slots(running.held(), WIDE.key())).isEqualTo(1);
        });
    assertThat(reader.explain(open))
        .get(InstanceOfAssertFactories.type(Explanation.Running.class))
        .satisfies(running -> assertThat(running.held()).isEmpty());
  }

  @Test
  void anEndedTaskSaysHowItEnded() {
    TaskId finished = submitAndEnd(FINISHED);
    TaskId failed = submitAndEnd(FAILED);
    TaskId cancelled = submitOne();
    cancel(cancelled);

    for (TaskId id : List.of(finished, failed, cancelled)) {
      assertThat(reader.explain(id)).contains(new Explanation.Ended(view(id)));
    }
  }

  @Test
  void theWaitIsEstimatedFromTheLastEndsOfItsLine() {
    submitLike(Draft.task().under(gpu(1)), 4);
    Claimer claimer = claimer();
    List<Claim> running = List.of();
    for (int i = 0; i < 4; i++) {
      running = endAndClaim(claimer, running, 1);
      assertThat(running).hasSize(1);
      fixture.advance(Duration.ofSeconds(10));
      claimer.heartbeat();
    }
    List<TaskId> ids = submitLike(Draft.task().under(gpu(1)), 3);
    TaskId last = ids.stream().filter(id -> ahead(id) == 2).findFirst().orElseThrow();
    TaskId elsewhere = submit(Draft.task().under(WIDE)).id();

    assertThat(waiting(last).estimate())
        .isBetween(Duration.ofSeconds(29), Duration.ofSeconds(40)); // three times ten, and a bit
    assertThat(waiting(elsewhere).estimate()).isNull();
    set(GPU, 0);
    assertThat(waiting(last).estimate()).isNull();
  }

  @Test
  void thereIsNoEstimateWhereNoSlotCameBackOfLate() {
    submitLike(Draft.task().under(gpu(2)), 8);
    Claimer claimer = claimer();
    List<Claim> running = List.of();
    for (int i = 0; i < 4; i++) {
      running = endAndClaim(claimer, running, 2);
      assertThat(running).hasSize(2);
      fixture.advance(Duration.ofSeconds(2));
    }
    TaskId id = submit(Draft.task().under(gpu(2))).id();
    assertThat(waiting(id).estimate()).isNotNull();

    for (int i = 0; i < 30; i++) {
      fixture.advance(Duration.ofSeconds(20));
      claimer.heartbeat();
    }
    assertThat(waiting(id).estimate()).isNull();
    assertThat(noRoom(id).holders())
        .hasSize(2)
        .allSatisfy(holder ->
            assertThat(Duration.between(holder.since(), fixture.now()))
                .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11)));
  }

  @Test
  void tasksThatOnlyStartedSayNothingOfHowLongItTakes() {
    submitLike(Draft.task().under(gpu(4)), 4);
    claimAll(claimer(), 4);
    fixture.advance(Duration.ofSeconds(20));
    TaskId id = submit(Draft.task().under(gpu(4))).id();

    assertThat(waiting(id).estimate()).isNull();
  }

  @Test
  void aRuleShowsTheSumOfItsKeys() {
    LimitKey rule = LimitKey.ruleOf(Draft.TYPE, "user");
    Claimer claimer = claimerSaying(new LimitRule(rule, 1));
    assertThat(limit(rule).used()).isZero();
    for (int user = 0; user < 10; user++) {
      submitLike(Draft.task().under(LimitKey.ofTypePer(Draft.TYPE, "user", "" + user), 1), 2);
    }
    assertThat(claimAll(claimer, 20)).hasSize(10);

    assertThat(limit(rule).slots()).isEqualTo(1);
    assertThat(limit(rule).used()).isEqualTo(10);
    assertThat(limit(rule).waiting()).isEqualTo(10);
    assertThat(limit(rule).holders()).hasSize(10);
  }

  @Test
  void explainingChangesNothing() {
    submitLike(Draft.task().under(gpu(1)), 2);
    Claimer claimer = claimer();
    Lease running = claimAll(claimer, 2).getFirst().lease();
    reader.explain(running.task());

    assertThat(reader.limits()).hasSize(1);
    assertThat(reader.limits().getFirst().holders())
        .extracting(Holder::token)
        .containsExactly(running.token());
  }

  private Explanation.Waiting waiting(TaskId id) {
    return (Explanation.Waiting) reader.explain(id).orElseThrow();
  }

  /** The only obstacle. */
  private NoRoom noRoom(TaskId id) {
    List<Obstacle> obstacles = waiting(id).obstacles();
    assertThat(obstacles).hasSize(1);
    return (NoRoom) obstacles.getFirst();
  }

  private int ahead(TaskId id) {
    Line line = Objects.requireNonNull(waiting(id).line());
    assertThat(line.more()).isFalse();
    return line.ahead();
  }

  private static int slots(List<Held> held, LimitKey key) {
    return held.stream().filter(part -> part.key().equals(key)).mapToInt(Held::slots).sum();
  }
}
