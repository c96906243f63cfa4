package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An exchange whose reply was lost is sent again: it took effect once, and the answer is the same.
 */
abstract class RepeatContract extends ContractTest {

  @Test
  void aRepeatReturnsTheSameClaims() {
    submitMany(10);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(3);

    for (int i = 0; i < 3; i++) {
      assertThat(Claimer.done(claimer.repeat()).claims()).isEqualTo(claims);
    }

    assertThat(reader.sessions().getFirst().running()).isEqualTo(3);
    assertThat(claimer.claim(10)).hasSize(7);
  }

  @Test
  void claimsOfALostReplyAreRunAfterTheRepeat() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.exchange(List.of(), 1); // The reply is lost.

    Claim claim = Claimer.done(claimer.repeat()).claims().getFirst();

    assertThat(claimer.end(claim, FINISHED).stale()).isEmpty();
    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
    assertThat(reader.attempts(id)).hasSize(1);
  }

  @Test
  void aRepeatRecordsOutcomesOnceAndCallsTheSameOnesStale() {
    List<TaskId> ids = submitMany(4);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(2);
    claimer.end(claims.get(0), FINISHED);
    List<Ended> ended = claims.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
    Exchanged first = claimer.exchange(ended, 2);

    Exchanged repeated = claimer.repeat();

    assertThat(repeated).isEqualTo(first);
    assertThat(Claimer.done(repeated).stale()).containsExactly(claims.get(0).lease());
    assertThat(reader.attempts(ids.get(1))).hasSize(1);
  }

  /** A store may do a large one in parts. */
  @Test
  void aLargeExchangeIsRepeatedAsASmallOne() {
    List<TaskId> ids = submitMany(600);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(300);
    claimer.end(claims.get(0), FINISHED);
    List<Ended> ended = claims.stream().map(claim -> new Ended(claim.lease(), FINISHED)).toList();
    Exchanged first = claimer.exchange(ended, 300);

    Exchanged repeated = claimer.repeat();

    assertThat(repeated).isEqualTo(first);
    assertThat(Claimer.done(repeated).stale()).containsExactly(claims.get(0).lease());
    assertThat(Claimer.done(repeated).claims())
        .extracting(claim -> claim.lease().task())
        .containsExactlyInAnyOrderElementsOf(ids.subList(300, 600));
    assertThat(reader.attempts(ids.get(299))).hasSize(1);
    assertThat(reader.sessions().getFirst().running()).isEqualTo(300);
    claims = Claimer.done(repeated).claims();
    assertThat(claimer.endAll(claims, FINISHED).stale()).isEmpty();
  }

  @Test
  void aRepeatChangesNothingWhateverItCarries() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    ExchangeRequest last = claimer.last();
    submitOne();

    Exchanged.Done done =
        Claimer.done(
            store.exchange(
                new ExchangeRequest(
                    last.session(),
                    last.number(),
                    List.of(new Ended(claim.lease(), FINISHED)),
                    10,
                    last.queues())));

    assertThat(done.claims()).containsExactly(claim);
    assertThat(state(id)).isEqualTo(TaskState.RUNNING);
  }

  @Test
  void anExchangeOlderThanTheLastIsRefused() {
    submitMany(5);
    Claimer claimer = claimer();
    claimer.claim(1);
    ExchangeRequest old = claimer.last();
    claimer.claim(1);

    assertThatThrownBy(() -> store.exchange(old)).matches(ContractTest::saysInvalid);

    assertThat(reader.sessions().getFirst().running()).isEqualTo(2);
  }

  @Test
  void aRepeatAfterTheSessionExpiredSaysThatItIsLost() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    claimer.claimOne();
    pass(LEASE_OVER);

    assertThat(claimer.repeat()).isEqualTo(new Exchanged.SessionLost());
    assertThat(claimer().claimIds(10)).containsExactly(id);
  }

  @Test
  void anExchangeSentTwiceAtOnceTakesPlaceOnce() throws Exception {
    submitMany(100);
    Claimer claimer = claimer();
    for (int i = 1; i <= 10; i++) {
      claimer.exchange(List.of(), 0);
      ExchangeRequest last = claimer.last();
      ExchangeRequest request =
          new ExchangeRequest(last.session(), 1_000L * i, List.of(), 5, last.queues());

      List<Exchanged> answers = Together.run(4, number -> store.exchange(request));

      assertThat(answers).containsOnly(answers.getFirst());
      assertThat(Claimer.done(answers.getFirst()).claims()).hasSize(5);
      claimer = claimer();
    }
    assertThat(reader.sessions().stream().mapToLong(view -> view.running()).sum()).isEqualTo(50);
  }
}
