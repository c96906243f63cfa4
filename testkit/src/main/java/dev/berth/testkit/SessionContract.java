package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Heartbeat;
import dev.berth.store.SessionRequest;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Swept;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.SessionId;
import dev.berth.view.TaskFilter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions: leases live and die with them. */
abstract class SessionContract extends ContractTest {

  @Test
  void sessionsDoNotShareAnId() {
    assertThat(claimer().id()).isNotEqualTo(claimer().id());
  }

  @Test
  void heartbeatsKeepASessionAlive() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    for (int i = 0; i < 5; i++) {
      pass(Claimer.LEASE.minusSeconds(10));
      assertThat(claimer.heartbeat().alive()).isTrue();
    }

    assertThat(claimer.end(claim, FINISHED).stale()).isEmpty();
    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
  }

  @Test
  void heartbeatsCarryProgress() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    claimer.heartbeat(Map.of(claim.lease(), "half \0 done 🚢"));
    claimer.heartbeat();

    assertThat(view(id).report().progress()).startsWith("half ").endsWith(" done 🚢");
  }

  @Test
  void progressOfALostLeaseIsIgnored() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.end(claim, RELEASED);
    claimer.claimOne();

    assertThat(claimer.heartbeat(Map.of(claim.lease(), "half done")).alive()).isTrue();
    assertThat(claimer().heartbeat(Map.of(claim.lease(), "half done")).alive()).isTrue();
    assertThat(view(id).report().progress()).isNull();
  }

  @Test
  void theTasksOfADeadSessionRunElsewhere() {
    TaskId id = submitOne();
    claimer().claimOne();
    fixture.advance(LEASE_OVER);

    Swept swept = store.sweep();

    assertThat(swept.sessionsExpired()).isEqualTo(1);
    assertThat(swept.tasksReturned()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(TaskState.RETRYING);
    assertThat(endings(id)).containsExactly(Ending.CRASHED);
    Claim claim = claimer().claimOne();
    assertThat(claim.attempt()).isEqualTo(2);
    assertThat(claim.crashes()).isEqualTo(1);
    assertThat(claim.failures()).isZero();
  }

  @Test
  void aSweepLeavesLivingSessionsAlone() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.claimOne();
    fixture.advance(Claimer.LEASE.minusSeconds(5));

    Swept swept = store.sweep();

    assertThat(swept.sessionsExpired()).isZero();
    assertThat(swept.tasksReturned()).isZero();
    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
  }

  @Test
  void anExpiredSessionIsLostAlsoBeforeASweepFindsIt() {
    List<TaskId> ids = submitMany(2);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    fixture.advance(LEASE_OVER);

    assertThat(claimer.exchange(List.of(new Ended(claim.lease(), FINISHED)), 10))
        .isEqualTo(new Exchanged.SessionLost());
    assertThat(claimer.heartbeat()).isEqualTo(new Heartbeat(false, List.of()));

    assertThat(reader.attempts(ids.get(0))).isEmpty();
    assertThat(state(ids.get(1))).isEqualTo(TaskState.PENDING);
    store.sweep();
    assertThat(claimer().claimIds(10)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void anExpiredSessionChangesNothingAfterItsTasksRunElsewhere() {
    TaskId id = submitOne();
    Claimer dead = claimer();
    Claim old = dead.claimOne();
    pass(LEASE_OVER);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();

    assertThat(dead.exchange(List.of(new Ended(old.lease(), FAILED)), 10))
        .isEqualTo(new Exchanged.SessionLost());
    assertThat(dead.heartbeat(Map.of(old.lease(), "going on")).alive()).isFalse();
    dead.leave();

    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
    assertThat(view(id).report().progress()).isNull();
    assertThat(claimer.end(old, FAILED).stale()).containsExactly(old.lease());
    assertThat(claimer.end(claim, FINISHED).stale()).isEmpty();
    assertThat(endings(id)).containsExactly(Ending.CRASHED, Ending.FINISHED);
  }

  @Test
  void anUnknownSessionIsLost() {
    TaskId id = submitOne();
    SessionId unknown = new SessionId("7e57ab1e-0000-4000-8000-000000000000");

    assertThat(store.exchange(new ExchangeRequest(unknown, 1, List.of(), 10, List.of("default"))))
        .isEqualTo(new Exchanged.SessionLost());
    store.leave(unknown);

    assertThat(state(id)).isEqualTo(TaskState.PENDING);
  }

  @Test
  void crashesAreCappedByTheType() {
    TaskId id = submitOne();
    List<Handled> types = List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 3));
    for (int crashes = 0; crashes < 3; crashes++) {
      Claim claim = Claimer.open(store, "doomed", types).claimOne();
      assertThat(claim.crashes()).isEqualTo(crashes);
      pass(LEASE_OVER);
    }

    assertThat(state(id)).isEqualTo(TaskState.FAILED);
    assertThat(view(id).counts().crashes()).isEqualTo(3);
    assertThat(view(id).error()).isNotBlank();
    assertThat(endings(id)).containsExactly(Ending.CRASHED, Ending.CRASHED, Ending.CRASHED);
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void aTaskThatCrashedTooOftenIsNotCountedAsReturned() {
    submitOne();
    Claimer.open(store, "doomed", List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 1)))
        .claimOne();
    fixture.advance(LEASE_OVER);

    assertThat(store.sweep().tasksReturned()).isZero();
  }

  @Test
  void crashesAndFailuresAreCountedApart() {
    submitOne();
    Claimer first = claimer();
    first.end(first.claimOne(), new Outcome.Retrying("busy", Duration.ZERO));
    store.sweep();
    first.claimOne();
    pass(LEASE_OVER);

    Claim claim = claimer().claimOne();

    assertThat(claim.attempt()).isEqualTo(3);
    assertThat(claim.failures()).isEqualTo(1);
    assertThat(claim.crashes()).isEqualTo(1);
  }

  @Test
  void whatALeavingSessionHoldsGoesBackWithoutSpendingAnAttempt() {
    TaskId id = submitOne();
    Claimer leaving = claimer();
    Claim held = leaving.claimOne();

    leaving.leave();
    leaving.leave();

    assertThat(state(id)).isEqualTo(TaskState.PENDING);
    assertThat(endings(id)).containsExactly(Ending.RELEASED);
    assertThat(leaving.exchange(List.of(new Ended(held.lease(), FINISHED)), 1))
        .isEqualTo(new Exchanged.SessionLost());
    Claim claim = claimer().claimOne();
    assertThat(claim.attempt()).isEqualTo(1);
    assertThat(claim.crashes()).isZero();
  }

  @Test
  void aSessionNeedsALease() {
    assertThatThrownBy(() ->
            store.open(new SessionRequest("w", List.of(), List.of("default"), Duration.ZERO, 1)))
        .matches(ContractTest::saysInvalid);
    assertThat(reader.sessions()).isEmpty();
  }

  @Test
  void aSessionThatExpiresInTheMiddleOfItsExchangeLeavesNothingRunning() throws Exception {
    submitMany(500);
    for (int round = 0; round < 20; round++) {
      Claimer claimer = claimer();
      Together.run(
          2,
          number -> {
            if (number == 0) {
              fixture.advance(LEASE_OVER);
              store.sweep();
            } else {
              while (claimer.exchange(List.of(), 3) instanceof Exchanged.Done done) {
                claimer.exchange(ended(done.claims()), 0);
              }
            }
            return number;
          });
      store.sweep();

      assertThat(reader.list(TaskFilter.ALL.state(TaskState.RUNNING))).isEmpty();
      assertThat(reader.sessions()).isEmpty();
    }
  }

  private static List<Ended> ended(List<Claim> claims) {
    return claims.stream().limit(2).map(claim -> new Ended(claim.lease(), RELEASED)).toList();
  }
}
