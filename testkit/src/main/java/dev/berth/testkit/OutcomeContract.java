package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Exchanged;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Outcomes: each is recorded once, by the owner of the lease only. */
abstract class OutcomeContract extends ContractTest {

  @Test
  void aFinishedTaskKeepsItsResult() {
    TaskId id = submitAndEnd(new Outcome.Finished("{\"paid\":true}"));

    TaskView task = view(id);

    assertThat(task.state()).isEqualTo(TaskState.FINISHED);
    assertThat(task.result()).isEqualTo("{\"paid\":true}");
    assertThat(task.times().ended()).isNotNull();
    assertThat(task.counts().attempt()).isEqualTo(1);
  }

  @Test
  void aFinishedTaskMayHaveNoResult() {
    assertThat(view(submitAndEnd(FINISHED)).result()).isNull();
  }

  @Test
  void aFailedTaskKeepsItsErrorAndDoesNotRunAgain() {
    TaskId id = submitAndEnd(new Outcome.Failed("no such address"));
    pass(Duration.ofDays(1));

    TaskView task = view(id);

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(task.error()).isEqualTo("no such address");
    assertThat(task.counts().failures()).isEqualTo(1);
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void aRetryingTaskRunsAgainAfterItsDelay() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), new Outcome.Retrying("busy", Duration.ofSeconds(20)));

    assertThat(state(id)).isEqualTo(TaskState.RETRYING);
    assertThat(view(id).error()).isEqualTo("busy");
    assertThat(view(id).counts().failures()).isEqualTo(1);
    pass(Duration.ofSeconds(10));
    assertThat(claimer.claim(10)).isEmpty();
    claimer.heartbeat();
    pass(Duration.ofSeconds(11));

    Claim claim = claimer.claimOne();
    assertThat(claim.lease().task()).isEqualTo(id);
    assertThat(claim.attempt()).isEqualTo(2);
    assertThat(claim.failures()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
  }

  @Test
  void aRetryWithoutDelayMayRunAtOnce() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), new Outcome.Retrying("busy", Duration.ZERO));
    store.sweep();

    assertThat(state(id)).isEqualTo(TaskState.RETRYING);
    assertThat(claimer.claimIds(10)).containsExactly(id);
  }

  @Test
  void failuresAddUp() {
    submitOne();
    Claimer claimer = claimer();
    for (int failures = 0; failures < 8; failures++) {
      Claim claim = claimer.claimOne();
      assertThat(claim.failures()).isEqualTo(failures);
      assertThat(claim.attempt()).isEqualTo(failures + 1);
      claimer.end(claim, new Outcome.Retrying("busy", Duration.ofSeconds(1)));
      claimer.heartbeat();
      pass(Duration.ofSeconds(2));
    }
  }

  @Test
  void aReleaseSpendsNoAttempt() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    for (int i = 0; i < 20; i++) {
      Claim claim = claimer.claimOne();
      assertThat(claim.attempt()).isEqualTo(1);
      claimer.end(claim, RELEASED);
      assertThat(state(id)).isEqualTo(TaskState.PENDING);
      assertThat(view(id).counts().attempt()).isZero();
    }

    assertThat(claimer.claimOne().crashes()).isZero();
    assertThat(endings(id)).hasSize(20).containsOnly(Ending.RELEASED);
  }

  @Test
  void aReleasedTaskMayBeDueLater() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), new Outcome.Released(Duration.ofSeconds(10)));
    assertThat(state(id)).isEqualTo(TaskState.PENDING);
    pass(Duration.ofSeconds(9));
    assertThat(claimer.claim(10)).isEmpty();

    pass(Duration.ofSeconds(1));

    assertThat(claimer.claimOne().attempt()).isEqualTo(1);
  }

  @Test
  void aReleaseAfterAFailureLeavesTheFailure() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), new Outcome.Retrying("busy", Duration.ZERO));
    store.sweep();
    claimer.end(claimer.claimOne(), RELEASED);

    assertThat(state(id)).isEqualTo(TaskState.RETRYING);
    Claim claim = claimer.claimOne();
    assertThat(claim.attempt()).isEqualTo(2);
    assertThat(claim.failures()).isEqualTo(1);
  }

  @Test
  void outcomesAndClaimsGoInOneExchange() {
    List<TaskId> ids = submitMany(4);
    Claimer claimer = claimer();
    List<Claim> first = claimer.claim(2);

    Exchanged.Done done =
        Claimer.done(
            claimer.exchange(
                List.of(
                    new Ended(first.get(0).lease(), FINISHED),
                    new Ended(first.get(1).lease(), FAILED)),
                10));

    assertThat(done.stale()).isEmpty();
    assertThat(done.claims())
        .extracting(claim -> claim.lease().task())
        .isEqualTo(ids.subList(2, 4));
    assertThat(state(ids.get(0))).isEqualTo(TaskState.FINISHED);
    assertThat(state(ids.get(1))).isEqualTo(TaskState.FAILED);
  }

  @Test
  void aSecondOutcomeForTheSameAttemptIsStale() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.end(claim, FINISHED);

    assertThat(claimer.end(claim, FAILED).stale()).containsExactly(claim.lease());

    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
    assertThat(endings(id)).containsExactly(Ending.FINISHED);
  }

  @Test
  void twoOutcomesForOneAttemptInOneExchangeAreRecordedOnce() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    claimer.endAll(List.of(claim, claim), FINISHED);

    assertThat(endings(id)).containsExactly(Ending.FINISHED);
  }

  @Test
  void anOutcomeOfAnEarlierAttemptIsStale() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim earlier = claimer.claimOne();
    claimer.end(earlier, RELEASED);
    Claim later = claimer.claimOne();

    assertThat(claimer.end(earlier, FINISHED).stale()).containsExactly(earlier.lease());

    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
    assertThat(claimer.end(later, FINISHED).stale()).isEmpty();
  }

  @Test
  void anOutcomeFromAnotherSessionIsStale() {
    TaskId id = submitOne();
    Claimer owner = claimer();
    Claim claim = owner.claimOne();

    assertThat(claimer().end(claim, FINISHED).stale()).containsExactly(claim.lease());

    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
    assertThat(owner.end(claim, FINISHED).stale()).isEmpty();
  }

  @Test
  void aStaleOutcomeDoesNotSpoilTheOthers() {
    List<TaskId> ids = submitMany(3);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(3);
    claimer.end(claims.get(1), FINISHED);

    assertThat(claimer.endAll(claims, FINISHED).stale()).containsExactly(claims.get(1).lease());

    assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(TaskState.FINISHED));
  }

  @Test
  void anErrorMayHoldAnyText() {
    List<TaskId> ids = submitMany(2);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(2);
    String bad = "broken \0 \uD800 text 🚢 " + "x".repeat(100_000);

    claimer.end(claims.get(0), new Outcome.Failed(bad));
    claimer.end(claims.get(1), new Outcome.Retrying(bad, Duration.ofHours(1)));

    // A store may replace what it cannot hold and cut what is too long, but not lose the outcome.
    assertThat(state(ids.get(0))).isEqualTo(TaskState.FAILED);
    assertThat(state(ids.get(1))).isEqualTo(TaskState.RETRYING);
    assertThat(view(ids.get(0)).error()).startsWith("broken ").contains("text 🚢");
  }

  @Test
  void manyOutcomesGoInOneExchange() {
    List<TaskId> ids = submitMany(1_000);
    Claimer claimer = claimer();

    assertThat(claimer.endAll(claimer.claim(1_000), FINISHED).stale()).isEmpty();

    assertThat(state(ids.getFirst())).isEqualTo(TaskState.FINISHED);
    assertThat(state(ids.getLast())).isEqualTo(TaskState.FINISHED);
    assertThat(reader.queues()).isEmpty();
  }
}
