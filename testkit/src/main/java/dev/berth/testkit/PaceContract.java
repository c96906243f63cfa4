package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.Need;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.store.Held;
import dev.berth.task.LimitRule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pace of a limit: the least time between two starts, whoever starts them. */
abstract class PaceContract extends LimitTest {

  private static final Duration PACE = Duration.ofSeconds(10);
  private static final Limit API = Limit.of("api", 3).pace(PACE);

  @Test
  void aPacedLimitStartsOneTaskAtATime() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = paced();

    assertThat(claimAll(claimer, 10)).hasSize(1);
    fixture.advance(PACE.minusSeconds(1));
    claimer.heartbeat();
    assertThat(claimAll(claimer, 10)).isEmpty();
    fixture.advance(Duration.ofSeconds(1));
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void thePaceIsThatOfAllWorkersTogether() {
    submitLike(Draft.task().under(API), 5);
    assertThat(claimAll(paced(), 10)).hasSize(1);

    Claimer other = paced();
    assertThat(claimAll(other, 10)).isEmpty();
    fixture.advance(PACE);
    assertThat(claimAll(other, 10)).hasSize(1);
  }

  @Test
  void anEndedTaskDoesNotHandItsSlotOnBeforeTheTime() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = paced();
    List<Claim> running = claimAll(claimer, 10);

    assertThat(endAndClaim(claimer, running, 10)).isEmpty();
    assertThat(used(API.key())).isZero();
    fixture.advance(PACE);
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void aResetLimitHasNoPaceThatOnlyASubmitSaid() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);
    assertThat(claimAll(claimer, 10)).hasSize(1);

    assertThat(reset(API.key())).isEqualTo(Applied.DONE);
    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertThat(reset(API.key())).isEqualTo(Applied.UNCHANGED);
  }

  @Test
  void anIdlePauseIsNotSavedUp() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = paced();
    claimAll(claimer, 10);

    fixture.advance(PACE.multipliedBy(2));
    claimer.heartbeat();

    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void thePaceHoldsBackNothingElse() {
    submitLike(Draft.task().under(API), 5);
    submitLike(Draft.task().under(gpu(2)), 2);
    submitMany(3);

    assertThat(claimAll(paced(), 10)).hasSize(1 + 2 + 3);
  }

  @Test
  void slotsCountBesideThePace() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = paced();

    for (int start = 0; start < API.slots(); start++) {
      assertThat(claimAll(claimer, 10)).hasSize(1);
      fixture.advance(PACE);
      claimer.heartbeat();
    }

    assertThat(claimAll(claimer, 10)).isEmpty();
  }

  @Test
  void theAnswerSaysWhenToLookAgain() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = paced();
    List<Claim> running = claimAll(claimer, 10);
    fixture.advance(Duration.ofSeconds(4));

    Exchanged.Done done =
        Claimer.done(
            claimer.exchange(List.of(new Ended(running.getFirst().lease(), FINISHED)), 10));

    assertThat(done.claims()).isEmpty();
    assertThat(done.again()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
  }

  @Test
  void aPaceThatOnlyASubmitNamedHolds() {
    submitLike(Draft.task().under(API), 5);
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(claimAll(claimer, 10)).isEmpty();
    fixture.advance(PACE);
    claimer.heartbeat();
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void theFirstSubmitThatNamesAPaceCounts() {
    submit(Draft.task().under(Limit.of("api", 3)));
    submit(Draft.task().under(API));
    submit(Draft.task().under(API.pace(PACE.multipliedBy(9))));
    Claimer claimer = claimer();

    assertThat(claimAll(claimer, 10)).hasSize(1);
    fixture.advance(PACE);
    claimer.heartbeat();
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void thePaceOfTheCodeCountsBeforeThatOfASubmit() {
    Claimer claimer = claimerSaying(new LimitRule(API.key(), API.slots()));
    submitLike(Draft.task().under(API), 5);

    assertThat(claimAll(claimer, 10)).hasSize(3);
  }

  @Test
  void aHoldThatNamesAPaceIsPaced() {
    Claimer claimer = claimer();
    Need need = Need.of(API, 1);

    assertThat(store.hold(claimer.id(), 1, need)).isInstanceOf(Held.Done.class);
    assertThat(store.hold(claimer.id(), 2, need)).isInstanceOf(Held.NoSlot.class);
  }

  private Claimer paced() {
    return claimerSaying(new LimitRule(API.key(), API.slots(), API.pace()));
  }
}
