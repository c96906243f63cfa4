package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.task.LimitRule;
import dev.berth.task.TaskId;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that do not name the limits of their type are under them all the same. */
abstract class TypeLimitContract extends LimitTest {

  @Test
  void aTaskThatDoesNotNameTheLimitOfItsTypeIsUnderIt() {
    Claimer claimer = claimerSaying(new LimitRule(MAIL, 2));
    submitLike(Draft.task(), 5);

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertThat(used(MAIL)).isEqualTo(2);
    assertThat(limit(MAIL).waiting()).isEqualTo(3);
  }

  @Test
  void aTaskThatDoesNotNameASharedLimitOfItsTypeIsUnderItWithTheWeightOfTheType() {
    Claimer claimer = claimerSaying(new LimitRule(GPU, 5, 2, null));
    submitLike(Draft.task(), 5);
    submitLike(Draft.task().under(Limit.of("printer", 1)), 5);

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertThat(used(GPU)).isEqualTo(4);
  }

  @Test
  void whatATaskNamesItselfCounts() {
    Claimer claimer = claimerSaying(new LimitRule(GPU, 5, 2, null));
    submitLike(Draft.task().under(gpu(5), 5), 2);

    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(5);
  }

  @Test
  void ofManyKeysOnlyTheSubmitterKnowsWhich() {
    Claimer claimer = claimerSaying(new LimitRule(LimitKey.ruleOf(Draft.TYPE, "user"), 1));
    submitLike(Draft.task(), 3);

    assertThat(claimAll(claimer, 10)).hasSize(3);
  }

  @Test
  void aTypeRegisteredWithoutItsLimitGivesItToNoTask() {
    claimerSaying(new LimitRule(MAIL, 1), new LimitRule(GPU, 1));
    Claimer claimer = claimerSaying(new LimitRule(GPU, 2));
    submitLike(Draft.task(), 5);

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertThat(find(MAIL)).isEmpty();
  }

  @Test
  void aLimitSetByHandCountsForTasksThatWaitAlready() {
    submitLike(Draft.task(), 3);
    submitLike(Draft.task().under(gpu(50)), 3);
    submitLike(Draft.task().delay(Duration.ofSeconds(10)), 3);
    submitLike(Draft.task().type("other"), 3);
    Claimer claimer = claimer(Draft.TYPE, "other");

    set(MAIL, 2);

    assertThat(claimAll(claimer, 20)).hasSize(5);
    assertThat(used(MAIL)).isEqualTo(2);
    pass(Duration.ofSeconds(11));
    assertThat(claimAll(claimer, 20)).isEmpty();
    assertThat(limit(MAIL).waiting()).isEqualTo(7);
    assertThat(used(MAIL)).isEqualTo(2);
  }

  @Test
  void aLimitSetByHandCountsForTasksThatComeLater() {
    set(MAIL, 2);
    submitLike(Draft.task(), 5);
    Claimer claimer = claimer();

    List<Claim> running = claimAll(claimer, 10);
    assertThat(running).hasSize(2);
    assertThat(endAndClaim(claimer, running, 10)).hasSize(2);
  }

  @Test
  void aLimitSetByHandCountsForTasksThatRunAlready() {
    submitLike(Draft.task(), 3);
    submitLike(Draft.task().under(gpu(50)), 3);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 5);
    assertThat(running).hasSize(5);

    set(MAIL, 4);

    assertThat(limit(MAIL).used()).isEqualTo(5);
    submitLike(Draft.task(), 5);
    assertThat(endAndClaim(claimer, running.subList(0, 1), 10)).isEmpty();
    assertThat(endAndClaim(claimer, running.subList(1, 3), 10)).hasSize(2);
    assertThat(used(MAIL)).isEqualTo(4);
    assertNoFault();
  }

  @Test
  void aLimitThatIsInForceCountsForTasksThatRunWithoutItOnceItIsSetByHand() {
    submitLike(Draft.task(), 4);
    Claimer claimer = claimerSaying(new LimitRule(MAIL, 3));
    List<Claim> open = claimAll(claimer, 10);
    assertThat(open).hasSize(4);
    submitLike(Draft.task(), 10);
    List<Claim> limited = claimAll(claimer, 10);
    assertThat(limited).hasSize(3);
    assertThat(used(MAIL)).isEqualTo(3);

    set(MAIL, 5);

    assertThat(used(MAIL)).isEqualTo(7);
    assertThat(endAndClaim(claimer, open.subList(0, 2), 10)).isEmpty();
    assertThat(endAndClaim(claimer, limited.subList(0, 1), 10)).hasSize(1);
    assertThat(endAndClaim(claimer, open.subList(2, 4), 10)).hasSize(2);
    assertThat(used(MAIL)).isEqualTo(5);
    reset(MAIL);
    assertThat(limit(MAIL).slots()).isEqualTo(3);
    assertThat(used(MAIL)).isEqualTo(5);
    assertNoFault();
  }

  @Test
  void afterAResetNothingLimitsTasksThatHadNoLimit() {
    submitLike(Draft.task(), 5);
    Claimer claimer = claimer();
    set(MAIL, 1);
    assertThat(claimAll(claimer, 10)).hasSize(1);

    reset(MAIL);
    submitLike(Draft.task(), 2);

    assertThat(claimAll(claimer, 10)).hasSize(6);
    assertThat(find(MAIL)).isEmpty();
    assertNoFault();
  }

  @Test
  void aResetLimitHasTheNumberThatSomeTasksNamed() {
    submitLike(Draft.task(), 3);
    submitLike(Draft.task().under(MAIL, 4), 3);
    Claimer claimer = claimer();
    set(MAIL, 1);
    assertThat(claimAll(claimer, 10)).hasSize(1);

    reset(MAIL);

    assertThat(claimAll(claimer, 10)).hasSize(3);
    assertThat(used(MAIL)).isEqualTo(4);
  }

  @Test
  void aNumberSetByHandForATimeIsTakenBackForAllTasks() {
    submitLike(Draft.task(), 3);
    Claimer claimer = claimer();
    store.apply(new Command.SetLimit(MAIL, 1, Duration.ofSeconds(5)));
    assertThat(claimAll(claimer, 10)).hasSize(1);

    pass(Duration.ofSeconds(5));

    assertThat(claimAll(claimer, 10)).hasSize(2);
  }

  @Test
  void noTaskOfATypeStartsWhoseLimitIsPausedAlsoIfItHasNone() {
    submitLike(Draft.task(), 3);
    Claimer claimer = claimer();

    store.apply(new Command.PauseLimit(MAIL));
    submitLike(Draft.task(), 3);

    assertThat(claimAll(claimer, 10)).isEmpty();
    store.apply(new Command.ResumeLimit(MAIL));
    submitLike(Draft.task(), 3);
    assertThat(claimAll(claimer, 10)).hasSize(9);
  }

  @Test
  void aRetriedTaskIsUnderTheLimitsOfItsType() {
    TaskId failed = submitAndEnd(FAILED);
    set(MAIL, 0);

    retry(failed);

    assertThat(claimAll(claimer(), 10)).isEmpty();
    assertThat(limit(MAIL).waiting()).isEqualTo(1);
  }

  /** Whoever puts tasks under the limit and those who claim and end them lock the same rows. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void aTypeIsPutUnderItsLimitAgainAndAgainWhileItsTasksComeAndGo() throws Exception {
    int claimers = 4;
    int tasks = 400;
    AtomicInteger finished = new AtomicInteger();
    submitLike(Draft.task(), tasks / 4);
    submitLike(Draft.task().under(gpu(3)), tasks / 4);
    Together.run(
        claimers + 1,
        number -> {
          if (number == claimers) {
            changeTheLimit(finished, tasks);
            return number;
          }
          Claimer claimer = claimer();
          submitLike(Draft.task(), tasks / 2 / claimers);
          List<Claim> running = List.of();
          while (finished.addAndGet(running.size()) < tasks && !Thread.interrupted()) {
            List<Ended> ended = running.stream().map(c -> new Ended(c.lease(), FINISHED)).toList();
            running = Claimer.done(claimer.exchange(ended, 1 + number)).claims();
          }
          return claimer.endAll(running, FINISHED);
        });

    assertThat(finished).hasValue(tasks);
    assertThat(used(MAIL)).isZero();
    assertThat(used(GPU)).isZero();
    assertThat(reader.drift()).isEmpty();
  }

  private void changeTheLimit(AtomicInteger finished, int tasks) {
    for (int round = 1; finished.get() < tasks && !Thread.interrupted(); round++) {
      set(MAIL, round % 6);
      set(MAIL, 1 + round % 3);
      reset(MAIL);
      store.apply(new Command.PauseLimit(MAIL));
      store.apply(new Command.ResumeLimit(MAIL));
    }
  }

  /** Tasks that started before they were under the limit count for it and did not break it. */
  private void assertNoFault() {
    assertThat(reader.drift()).isEmpty();
    assertThat(reader.audit(AuditFilter.ALL)).noneMatch(LimitAudit::over);
  }
}
