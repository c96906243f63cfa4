package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.task.TaskState;
import dev.berth.view.AuditFilter;
import dev.berth.view.Explanation;
import dev.berth.view.LimitAudit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tasks that a session claims beyond its slots, to go on in them as soon as others end. */
abstract class StandbyContract extends LimitTest {

  @Test
  void standbysHoldNoSlots() {
    submitLike(Draft.task().under(gpu(2)), 6);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 2);

    List<Claim> claims = endAsking(claimer, running.getFirst(), 2);

    assertThat(claims).extracting(Claim::standby).containsExactly(false, true, true);
    assertThat(used(GPU)).isEqualTo(2);
    assertThat(claims.subList(1, 3))
        .allSatisfy(claim -> {
          assertThat(state(claim)).isEqualTo(TaskState.PENDING);
          assertThat(claim.attempt()).isEqualTo(1);
          assertThat(reader.explain(claim.lease().task()))
              .hasValueSatisfying(why -> assertThat(why).isInstanceOf(Explanation.Waiting.class));
        });
    assertThat(claimAll(claimer(), 10)).as("what others get of them").isEmpty();
  }

  @Test
  void aStandbyGoesOnInTheSlotOfTheOneBefore() {
    Claimer claimer = claimer();
    List<Claim> claims = oneWithStandbys(claimer, 1, 2);
    Claim first = claims.get(0);
    Claim second = claims.get(1);

    claimer.exchange(List.of(passed(first, second)), 0);

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(state(second)).isEqualTo(TaskState.RUNNING);
    assertThat(limit(GPU).holders().getFirst().task()).isEqualTo(second.lease().task());
    claimer.end(second, FINISHED);
    assertThat(used(GPU)).isZero();
    assertNotOver();
  }

  @Test
  void whatRanInOneSlotBetweenTwoExchangesRanOneAfterTheOther() {
    Claimer claimer = claimer();
    List<Claim> claims = oneWithStandbys(claimer, 1, 3);
    fixture.advance(Duration.ofSeconds(1));
    Claim last = claims.get(3);
    Ended.Heir heir = new Ended.Heir(last.lease(), Duration.ofMillis(100));

    Exchanged.Done done =
        Claimer.done(
            claimer.exchange(
                List.of(
                    ended(claims.get(0), 900, 600, heir),
                    ended(claims.get(1), 600, 300, heir),
                    ended(claims.get(2), 300, 100, heir)),
                0));

    assertThat(done.stale()).isEmpty();
    assertThat(state(last)).isEqualTo(TaskState.RUNNING);
    assertThat(used(GPU)).isEqualTo(1);
    claimer.end(last, FINISHED);
    assertNotOver();
    var second = reader.attempts(claims.get(1).lease().task()).getFirst();
    assertThat(Duration.between(second.startedAt(), second.endedAt()))
        .isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void theSlotsOfAWholeChainComeBack() {
    Claimer claimer = claimer();
    List<Claim> claims = oneWithStandbys(claimer, 1, 2);

    claimer.exchange(
        List.of(
            ended(claims.get(0), 0, 0, null),
            ended(claims.get(1), 0, 0, null),
            new Ended(claims.get(2).lease(), FINISHED, Duration.ZERO, null, null, 0)),
        0);

    assertThat(used(GPU)).isZero();
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void oneThatDidNotStartGoesBackToItsPlace() {
    Claimer claimer = claimer();
    List<Claim> claims = oneWithStandbys(claimer, 1, 1);
    Claim standby = claims.get(1);
    fixture.advance(Duration.ofSeconds(2));
    submit(Draft.task().under(gpu(1)));

    claimer.endAll(claims, RELEASED);

    assertThat(reader.attempts(standby.lease().task())).isEmpty();
    List<Claim> again = claimAll(claimer, 1);
    assertThat(ids(again)).containsExactly(standby.lease().task());
    assertThat(again.getFirst().attempt()).isEqualTo(1);
    assertThat(again.getFirst().standby()).isFalse();
  }

  @Test
  void theCrashOfItsWorkerIsNotItsOwn() {
    Claimer doomed = claimer();
    List<Claim> claims = oneWithStandbys(doomed, 1, 1);
    pass(LEASE_OVER);
    store.sweep();

    Claimer other = claimer();
    List<Claim> again = claimAll(other, 1);
    assertThat(ids(again)).containsExactly(claims.get(1).lease().task());
    assertThat(again.getFirst().crashes()).isZero();
    assertThat(again.getFirst().attempt()).isEqualTo(1);
    assertThat(reader.attempts(claims.get(1).lease().task())).isEmpty();
    assertThat(reader.attempts(claims.get(0).lease().task())).hasSize(1);
  }

  @Test
  void noneIsGivenUnderALimitThatIsPausedOrChanged() {
    Claimer claimer = claimer();
    List<Claim> claims = oneWithStandbys(claimer, 2, 0);
    store.apply(new Command.PauseLimit(GPU));
    assertThat(endAsking(claimer, claims.get(0), 3)).isEmpty();

    store.apply(new Command.ResumeLimit(GPU));
    set(GPU, 1);
    assertThat(endAsking(claimer, claims.get(1), 3)).noneMatch(Claim::standby);
    assertThat(used(GPU)).isEqualTo(1);
  }

  @Test
  void someComeWithTheFirstSlots() {
    submitLike(Draft.task().under(gpu(2)), 9);
    Claimer claimer = claimer();

    List<Claim> claims = claimAhead(claimer, 5, 2, 20);

    assertThat(claims)
        .extracting(Claim::standby)
        .containsExactly(false, false, true, true, true, true);
    assertThat(used(GPU)).isEqualTo(2);
    assertThat(Claimer.done(claimer.repeat()).claims()).isEqualTo(claims);
  }

  @Test
  void noMoreComeThanAskedForAndNoMoreSlotsThanTheyKeepBusy() {
    submitLike(Draft.task().under(gpu(10)), 30);

    List<Claim> claims = claimAhead(claimer(), 10, 4, 12);

    assertThat(claims).hasSize(12);
    assertThat(claims).filteredOn(claim -> !claim.standby()).hasSize(1 + 12 / 5);
    assertThat(used(GPU)).isEqualTo(1 + 12 / 5);
  }

  @Test
  void noneComesWithoutASlot() {
    submitLike(Draft.task().under(gpu(1)), 5);
    claimAll(claimer(), 1);

    assertThat(claimAhead(claimer(), 5, 3, 20)).isEmpty();
  }

  @Test
  void noneComesUnderAPace() {
    submitLike(Draft.task().under(gpu(3).pace(Duration.ofSeconds(1))), 5);

    assertThat(claimAhead(claimer(), 5, 3, 20)).hasSize(1).noneMatch(Claim::standby);
  }

  @Test
  void aLaneAfterAnotherGetsItsOwn() {
    submitLike(Draft.task().under(gpu(1)), 3);
    submitLike(Draft.task().under(Limit.of("cpu", 1)), 3);

    List<Claim> claims = claimAhead(claimer(), 5, 2, 20);

    assertThat(claims).hasSize(6).filteredOn(claim -> !claim.standby()).hasSize(2);
  }

  @Test
  void aRepeatTellsWhichStandBy() {
    submitLike(Draft.task().under(gpu(1)), 4);
    Claimer claimer = claimer();
    List<Claim> claims = endAsking(claimer, claimer.claimOne(), 2);

    assertThat(Claimer.done(claimer.repeat()).claims()).isEqualTo(claims);
  }

  @Test
  void itCanBeCancelled() {
    Claimer claimer = claimer();
    Claim standby = oneWithStandbys(claimer, 1, 1).get(1);

    store.apply(new Command.Cancel(standby.lease().task(), "not wanted"));

    assertThat(Claimer.done(claimer.exchange(List.of(), 0)).cancelled())
        .containsExactly(standby.lease());
    claimer.end(standby, RELEASED);
    assertThat(state(standby)).isEqualTo(TaskState.CANCELLED);
  }

  /** One running task under the pool of so many slots, or as many as it has; then its standbys. */
  private List<Claim> oneWithStandbys(Claimer claimer, int slots, int standbys) {
    Limit pool = gpu(slots);
    submitLike(Draft.task().under(pool), slots + 1 + standbys);
    List<Claim> running = claimAll(claimer, slots);
    if (standbys == 0) {
      return running;
    }
    List<Claim> claims = endAsking(claimer, running.getFirst(), standbys);
    assertThat(claims).hasSize(1 + standbys);
    return claims;
  }

  private static List<Claim> claimAhead(Claimer claimer, int claims, int perSlot, int most) {
    var ahead = new ExchangeRequest.Ahead(Map.of(Draft.TYPE, perSlot), most);
    return Claimer.done(claimer.exchange(List.of(), claims, ahead)).claims();
  }

  private static List<Claim> endAsking(Claimer claimer, Claim claim, int standbys) {
    return Claimer.done(
            claimer.exchange(
                List.of(new Ended(claim.lease(), FINISHED, null, null, null, standbys)), 10))
        .claims();
  }

  private static Ended passed(Claim claim, Claim heir) {
    return ended(claim, 0, 0, new Ended.Heir(heir.lease(), Duration.ZERO));
  }

  /** Began and ended so many milliseconds ago. */
  private static Ended ended(Claim claim, int began, int passed, Ended.@Nullable Heir heir) {
    return new Ended(
        claim.lease(), FINISHED, Duration.ofMillis(began), Duration.ofMillis(passed), heir, 0);
  }

  private TaskState state(Claim claim) {
    return reader.find(claim.lease().task()).orElseThrow().state();
  }

  private void assertNotOver() {
    assertThat(reader.audit(AuditFilter.ALL)).isNotEmpty().noneMatch(LimitAudit::over);
    assertThat(reader.drift()).isEmpty();
  }
}
