package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Slots come back: with every outcome, from dead sessions, and only once. */
abstract class LimitReturnContract extends LimitTest {

  static Stream<Outcome> outcomes() {
    return Stream.of(
        FINISHED,
        FAILED,
        RELEASED,
        new Outcome.Cancelled("not wanted"),
        new Outcome.Retrying("busy", Duration.ZERO),
        retryIn(Duration.ofMinutes(5)));
  }

  @ParameterizedTest
  @MethodSource("dev.berth.testkit.LimitReturnContract#outcomes")
  void everyOutcomeReturnsTheSlots(Outcome outcome) {
    submitLike(Draft.task().under(gpu(3), 2).under(MAIL, 1), 2);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    assertThat(used(GPU)).isEqualTo(2);

    claimer.end(claim, outcome);

    assertThat(used(GPU)).isZero();
    assertThat(used(MAIL)).isZero();
    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(2);
    assertThat(used(MAIL)).isEqualTo(1);
  }

  /** Several slots may come from one slot group: each has an heir of its own, or comes back. */
  @Test
  void slotsThatNobodyInheritsComeBack() {
    submitLike(Draft.task().under(gpu(100)), 101);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 200);
    assertThat(running).hasSize(100);

    assertThat(endAndClaim(claimer, running, 100)).hasSize(1);

    assertThat(used(GPU)).isEqualTo(1);
    submitLike(Draft.task().under(gpu(100)), 200);
    assertThat(claimAll(claimer, 200)).hasSize(99);
  }

  @Test
  void aTaskThatWaitsForItsRetryHoldsNoSlot() {
    List<TaskId> ids = submitLike(Draft.task().under(gpu(1)), 2);
    Claimer claimer = claimer();
    Claim first = claimer.claimOne();
    claimer.end(first, retryIn(Duration.ofSeconds(5)));

    List<Claim> second = claimAll(claimer, 10);

    assertThat(second).hasSize(1);
    pass(Duration.ofSeconds(6));
    assertThat(claimAll(claimer, 10)).isEmpty();
    List<Claim> retried = endAndClaim(claimer, second, 10);
    assertThat(ids(retried)).containsExactly(first.lease().task());
    assertThat(ids).contains(first.lease().task());
    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void aTaskDueLaterHoldsNoSlot() {
    submit(Draft.task().under(gpu(1)).delay(Duration.ofMinutes(5)));
    submit(Draft.task().under(gpu(1)));

    assertThat(claimAll(claimer(), 10)).hasSize(1);
  }

  @Test
  void aDeadSessionReturnsItsSlots() {
    submitLike(Draft.task().under(gpu(4), 2).under(MAIL, 9), 3);
    Claimer doomed = claimer();
    assertThat(claimAll(doomed, 10)).hasSize(2);

    pass(LEASE_OVER);

    assertThat(used(GPU)).isZero();
    assertThat(used(MAIL)).isZero();
    assertThat(claimAll(claimer(), 10)).hasSize(2);
    store.sweep();
    assertThat(used(GPU)).isEqualTo(4);
  }

  @Test
  void aSessionThatLeavesReturnsItsSlots() {
    submitLike(Draft.task().under(gpu(2)), 3);
    Claimer leaving = claimer();
    assertThat(claimAll(leaving, 10)).hasSize(2);

    leaving.leave();
    leaving.leave();

    assertThat(used(GPU)).isZero();
    assertThat(claimAll(claimer(), 10)).hasSize(2);
    assertThat(used(GPU)).isEqualTo(2);
  }

  @Test
  void aTaskAskedToStopHoldsItsSlotUntilItHas() {
    submitLike(Draft.task().under(gpu(1)), 2);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    assertThat(cancel(claim.lease().task())).isEqualTo(Applied.REQUESTED);

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(claimAll(claimer, 10)).isEmpty();
    claimer.end(claim, new Outcome.Cancelled("not wanted"));
    assertThat(used(GPU)).isZero();
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void aPendingTaskThatIsCancelledChangesNoSlot() {
    List<TaskId> ids = submitLike(Draft.task().under(gpu(1)), 3);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    ids.stream().filter(id -> !id.equals(claim.lease().task())).forEach(this::cancel);

    assertThat(limit(GPU).used()).isEqualTo(1);
    assertThat(limit(GPU).waiting()).isZero();
    submitLike(Draft.task().under(gpu(1)), 1);
    assertThat(claimAll(claimer, 10)).isEmpty();
  }

  @Test
  void anOutcomeOfADeadSessionReturnsNothingTwice() {
    submitLike(Draft.task().under(gpu(1)), 3);
    Claimer doomed = claimer();
    Claim lost = doomed.claimOne();
    pass(LEASE_OVER);
    Claimer next = claimer();
    assertThat(claimAll(next, 10)).hasSize(1);

    Exchanged answer = doomed.exchange(List.of(new Ended(lost.lease(), FINISHED)), 5);

    assertThat(answer).isInstanceOf(Exchanged.SessionLost.class);
    assertThat(used(GPU)).isEqualTo(1);
    assertThat(claimAll(next, 10)).isEmpty();
  }

  @Test
  void aStaleOutcomeReturnsNothing() {
    submitLike(Draft.task().under(gpu(1)), 1);
    Claimer claimer = claimer();
    Lease before = claimer.claimOne().lease();
    claimer.end(before, RELEASED);
    Lease now = claimAll(claimer, 1).getFirst().lease();
    submitLike(Draft.task().under(gpu(1)), 1);

    assertThat(claimer.end(before, FINISHED).stale()).containsExactly(before);

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(claimAll(claimer, 10)).isEmpty();
    claimer.end(now, FINISHED);
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void anOutcomeHandedInTwiceReturnsItsSlotOnce() {
    submitLike(Draft.task().under(gpu(2)), 4);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 10);
    Ended ended = new Ended(running.getFirst().lease(), FINISHED);

    claimer.exchange(List.of(ended, ended), 0);
    claimer.repeat();

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void aRepeatedExchangeTakesNoMoreSlots() {
    submitLike(Draft.task().under(gpu(4)), 9);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 2);
    List<Ended> ended = List.of(new Ended(running.getFirst().lease(), FINISHED));

    Exchanged answer = claimer.exchange(ended, 1);
    int used = used(GPU);

    assertThat(claimer.repeat()).isEqualTo(answer);
    assertThat(used(GPU)).isEqualTo(used);
    claimAll(claimer, 10);
    assertThat(used(GPU)).isEqualTo(4);
  }

  @Test
  void aTaskRetriedByHandIsUnderItsLimits() {
    submitLike(Draft.task().under(gpu(1)), 2);
    Claimer claimer = claimer();
    Claim failed = claimer.claimOne();
    claimer.end(failed, FAILED);
    List<Claim> running = claimAll(claimer, 10);

    retry(failed.lease().task());

    assertThat(claimAll(claimer, 10)).isEmpty();
    assertThat(ids(endAndClaim(claimer, running, 10))).containsExactly(failed.lease().task());
    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void aTaskThatCrashedTooOftenReturnsItsSlot() {
    submitLike(Draft.task().under(gpu(1)), 1);
    for (int crash = 0; crash < 5; crash++) {
      assertThat(claimAll(claimer(), 1)).hasSize(1);
      pass(LEASE_OVER);
    }

    assertThat(used(GPU)).isZero();
    submitLike(Draft.task().under(gpu(1)), 1);
    assertThat(claimAll(claimer(), 10)).hasSize(1);
  }

  @Test
  void slotsOfSeveralLimitsComeBackFromACrashTogether() {
    LimitKey ada = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
    Draft draft = Draft.task().under(gpu(9), 3).under(Limit.of("api", 9)).under(ada, 9);
    submitLike(draft, 2);
    assertThat(claimAll(claimer(), 2)).hasSize(2);
    assertThat(used(GPU)).isEqualTo(6);

    pass(LEASE_OVER);

    assertThat(used(GPU)).isZero();
    assertThat(used(LimitKey.shared("api"))).isZero();
    assertThat(used(ada)).isZero();
  }
}
