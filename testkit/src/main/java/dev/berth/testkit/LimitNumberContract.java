package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.LimitRule;
import dev.berth.view.LimitView;
import dev.berth.view.LimitView.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The number of a limit: who says it, and what a change does to tasks that run. */
abstract class LimitNumberContract extends LimitTest {

  private static final LimitKey PER_USER = LimitKey.ruleOf(Draft.TYPE, "user");
  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");
  private static final LimitKey BOB = LimitKey.ofTypePer(Draft.TYPE, "user", "bob");

  @Test
  void aRaisedLimitTakesEffectAtOnce() {
    submitLike(Draft.task().under(gpu(1)), 5);
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 10)).hasSize(1);

    assertThat(set(GPU, 3)).isEqualTo(Applied.DONE);

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertNumber(GPU, 3, Source.OVERRIDE);
  }

  @Test
  void aLoweredLimitDrains() {
    submitLike(Draft.task().under(gpu(4)), 8);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 10);

    set(GPU, 2);

    assertThat(limit(GPU).slots()).isEqualTo(2);
    assertThat(limit(GPU).used()).isEqualTo(4);
    for (int stillRunning = 3; stillRunning >= 2; stillRunning--) {
      claimer.end(running.removeFirst(), FINISHED);
      assertThat(claimAll(claimer, 10)).isEmpty();
      assertThat(used(GPU)).isEqualTo(stillRunning);
    }
    claimer.end(running.removeFirst(), FINISHED);
    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertThat(used(GPU)).isEqualTo(2);
  }

  @Test
  void aLoweredLimitDrainsWhereOutcomesAndClaimsGoTogether() {
    submitLike(Draft.task().under(gpu(4)), 20);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 10);

    set(GPU, 1);

    assertThat(endAndClaim(claimer, running.subList(0, 2), 10)).isEmpty();
    assertThat(endAndClaim(claimer, running.subList(2, 3), 10)).isEmpty();
    assertThat(used(GPU)).isEqualTo(1);
    assertThat(endAndClaim(claimer, running.subList(3, 4), 10)).hasSize(1);
  }

  @Test
  void aLargeLimitDrainsAsAWhole() {
    submitLike(Draft.task().under(gpu(100)), 200);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 200);

    set(GPU, 60);
    claimer.endAll(running.subList(0, 10), FINISHED);
    assertThat(claimAll(claimer, 200)).isEmpty();
    assertThat(used(GPU)).isEqualTo(90);
    claimer.endAll(running.subList(10, 45), FINISHED);

    assertThat(claimAll(claimer, 200)).hasSize(5);
    assertThat(used(GPU)).isEqualTo(60);
  }

  @Test
  void aLimitThatIsLoweredAndRaisedWhileFullStaysExact() {
    submitLike(Draft.task().under(gpu(60)), 300);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 300);
    set(GPU, 7);
    claimer.endAll(running.subList(0, 20), FINISHED);
    set(GPU, 51);

    assertThat(claimAll(claimer, 300)).hasSize(11);
    assertThat(used(GPU)).isEqualTo(51);
  }

  @Test
  void noneStartsUnderALimitSetTo0UntilItIsRaised() {
    submitLike(Draft.task().under(gpu(3)), 10);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 10);

    set(GPU, 0);

    assertThat(used(GPU)).isEqualTo(3);
    assertThat(endAndClaim(claimer, running, 10)).isEmpty();
    assertThat(used(GPU)).isZero();
    set(GPU, 2);
    assertThat(claimAll(claimer, 10)).hasSize(2);
  }

  @Test
  void aResetLimitHasTheNumberOfTheSubmit() {
    submitLike(Draft.task().under(gpu(2)), 10);
    Claimer claimer = claimer();
    claimAll(claimer, 10);
    set(GPU, 5);
    claimAll(claimer, 10);
    assertThat(used(GPU)).isEqualTo(5);

    assertThat(reset(GPU)).isEqualTo(Applied.DONE);

    assertNumber(GPU, 2, Source.SUBMIT);
    assertThat(claimAll(claimer, 10)).isEmpty();
  }

  @Test
  void aResetLimitHasTheNumberOfTheCode() {
    submitLike(Draft.task().under(MAIL, 2), 10);
    Claimer claimer = claimerSaying(new LimitRule(MAIL, 3));
    set(MAIL, 1);
    assertThat(claimAll(claimer, 10)).hasSize(1);

    reset(MAIL);

    assertNumber(MAIL, 3, Source.CODE);
    assertThat(claimAll(claimer, 10)).hasSize(2);
  }

  @Test
  void aNumberSetForATimeIsTakenBackByTheSweep() {
    submitLike(Draft.task().under(gpu(2)), 10);
    Claimer claimer = claimer();
    store.apply(new Command.SetLimit(GPU, 1, Duration.ofSeconds(10)));
    assertThat(claimAll(claimer, 10)).hasSize(1);

    fixture.advance(Duration.ofSeconds(9));
    store.sweep();
    assertNumber(GPU, 1, Source.OVERRIDE);
    fixture.advance(Duration.ofSeconds(1));
    store.sweep();

    assertNumber(GPU, 2, Source.SUBMIT);
    assertThat(claimAll(claimer, 10)).hasSize(1);
  }

  @Test
  void theCodeCountsBeforeTheSubmit() {
    submitLike(Draft.task().under(MAIL, 9), 10);
    Claimer claimer = claimerSaying(new LimitRule(MAIL, 2));

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertNumber(MAIL, 2, Source.CODE);
  }

  @Test
  void aNumberThatStandsInAFileSaysSo() {
    submitLike(Draft.task().under(MAIL, 9).under(ADA, 9), 3);
    Claimer claimer =
        claimerSaying(new LimitRule(MAIL, 1).inFile(3), new LimitRule(PER_USER, 1).inFile(2));
    claimAll(claimer, 10);
    assertNumber(MAIL, 3, Source.FILE);
    assertNumber(ADA, 2, Source.FILE);

    claimerSaying(new LimitRule(MAIL, 3), new LimitRule(PER_USER, 2));
    assertNumber(MAIL, 3, Source.CODE);
    assertNumber(ADA, 2, Source.CODE);
  }

  @Test
  void theNewestRegistrationCounts() {
    submitLike(Draft.task().under(MAIL, 1), 10);
    Claimer older = claimerSaying(new LimitRule(MAIL, 1));
    assertThat(claimAll(older, 10)).hasSize(1);

    Claimer newer = claimerSaying(new LimitRule(MAIL, 4));

    assertThat(claimAll(older, 1)).hasSize(1);
    assertThat(claimAll(newer, 10)).hasSize(2);
    claimerSaying(new LimitRule(MAIL, 2));
    assertNumber(MAIL, 2, Source.CODE);
    assertThat(limit(MAIL).used()).isEqualTo(4);
  }

  @Test
  void anOverrideSurvivesANewRegistration() {
    submitLike(Draft.task().under(MAIL, 1), 10);
    claimerSaying(new LimitRule(MAIL, 1));
    set(MAIL, 3);

    Claimer claimer = claimerSaying(new LimitRule(MAIL, 5));

    assertThat(claimAll(claimer, 10)).hasSize(3);
    assertNumber(MAIL, 3, Source.OVERRIDE);
    reset(MAIL);
    assertNumber(MAIL, 5, Source.CODE);
  }

  @Test
  void aTypeRegisteredWithoutItsLimitHasNone() {
    submitLike(Draft.task().under(MAIL, 1), 6);
    Claimer limited = claimerSaying(new LimitRule(MAIL, 1));
    assertThat(claimAll(limited, 10)).hasSize(1);

    Claimer unlimited = claimerSaying();

    assertThat(claimAll(unlimited, 10)).hasSize(5);
    assertThat(find(MAIL)).isEmpty();
  }

  @Test
  void aLimitThatComesBackCountsWhatRuns() {
    submitLike(Draft.task().under(MAIL, 1), 4);
    claimerSaying(new LimitRule(MAIL, 1));
    Claimer unlimited = claimerSaying();
    List<Claim> running = claimAll(unlimited, 10);
    assertThat(running).hasSize(4);

    submitLike(Draft.task().under(MAIL, 1), 4);
    claimerSaying(new LimitRule(MAIL, 2));

    assertThat(limit(MAIL).used()).isEqualTo(4);
    assertThat(endAndClaim(unlimited, running.subList(0, 2), 10)).isEmpty();
    assertThat(endAndClaim(unlimited, running.subList(2, 3), 10)).hasSize(1);
    assertThat(used(MAIL)).isEqualTo(2);
  }

  @Test
  void aTypeTakesAwayNoLimitOfAnotherWithASimilarName() {
    LimitKey perUser = LimitKey.ruleOf("sendXmail", "user");
    Claimer other =
        Claimer.open(store, "worker", List.of(handled("sendXmail", new LimitRule(perUser, 1))));
    LimitKey ada = LimitKey.ofTypePer("sendXmail", "user", "ada");
    submitLike(Draft.task().type("sendXmail").under(ada, 1), 2);

    Claimer.open(store, "worker", List.of(handled("send_mail")));

    assertThat(claimAll(other, 10)).hasSize(1);
  }

  @Test
  void anOverrideStaysWhereTheCodeNamesTheLimitNoMore() {
    submitLike(Draft.task().under(MAIL, 1), 6);
    claimerSaying(new LimitRule(MAIL, 1));
    set(MAIL, 2);

    assertThat(claimAll(claimerSaying(), 10)).hasSize(2);
    assertNumber(MAIL, 2, Source.OVERRIDE);
  }

  @Test
  void aTypeThatNamesASharedLimitNoMoreLeavesItToOthers() {
    LimitRule rule = new LimitRule(GPU, 2);
    Claimer.open(store, "worker", List.of(handled("train", rule), handled("render", rule)));
    submitLike(Draft.task().type("render").under(gpu(2)), 5);

    Claimer claimer = claimer("train", "render");

    assertThat(claimAll(claimer, 10)).hasSize(2);
    assertNumber(GPU, 2, Source.CODE);
  }

  @Test
  void aNumberAtSubmitCountsOnlyIfThereIsNone() {
    submitLike(Draft.task().under(gpu(2)), 1);
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 10)).hasSize(1);

    submitLike(Draft.task().under(gpu(9)), 9);

    assertThat(claimAll(claimer, 10)).hasSize(1);
    assertNumber(GPU, 2, Source.SUBMIT);
  }

  @Test
  void aLimitCanBeSetBeforeAnyTaskIsUnderIt() {
    set(GPU, 2);
    assertNumber(GPU, 2, Source.OVERRIDE);
    submitLike(Draft.task().under(gpu(9)), 9);

    assertThat(claimAll(claimer(), 10)).hasSize(2);
  }

  @Test
  void theCodeSaysTheNumberForAllKeysOfARule() {
    submitLike(Draft.task().under(ADA, 1), 5);
    submitLike(Draft.task().under(BOB, 1), 5);
    Claimer claimer = claimerSaying(new LimitRule(PER_USER, 2));

    assertThat(claimAll(claimer, 20)).hasSize(4);
    assertNumber(ADA, 2, Source.CODE);
    assertNumber(BOB, 2, Source.CODE);
  }

  @Test
  void aRuleSetByHandChangesAllItsKeys() {
    submitLike(Draft.task().under(ADA, 1), 5);
    submitLike(Draft.task().under(BOB, 1), 5);
    Claimer claimer = claimerSaying(new LimitRule(PER_USER, 1));
    assertThat(claimAll(claimer, 20)).hasSize(2);

    set(PER_USER, 3);

    assertThat(claimAll(claimer, 20)).hasSize(4);
    assertNumber(ADA, 3, Source.OVERRIDE);
    reset(PER_USER);
    assertNumber(ADA, 1, Source.CODE);
    assertThat(claimAll(claimer, 20)).isEmpty();
  }

  @Test
  void aKeySetByHandCountsBeforeItsRule() {
    submitLike(Draft.task().under(ADA, 1), 5);
    submitLike(Draft.task().under(BOB, 1), 5);
    Claimer claimer = claimerSaying(new LimitRule(PER_USER, 1));
    set(PER_USER, 2);
    set(ADA, 4);

    assertThat(claimAll(claimer, 20)).hasSize(6);
    assertNumber(ADA, 4, Source.OVERRIDE);
    assertNumber(BOB, 2, Source.OVERRIDE);
    reset(ADA);
    assertNumber(ADA, 2, Source.OVERRIDE);
  }

  @Test
  void aTypeRegisteredWithoutItsRuleHasNoLimitForAnyKey() {
    submitLike(Draft.task().under(ADA, 1), 3);
    submitLike(Draft.task().under(BOB, 1), 3);
    assertThat(claimAll(claimerSaying(new LimitRule(PER_USER, 1)), 20)).hasSize(2);

    assertThat(claimAll(claimerSaying(), 20)).hasSize(4);
  }

  @Test
  void noneStartsUnderAPausedLimit() {
    submitLike(Draft.task().under(gpu(2)), 6);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 1);

    assertThat(store.apply(new Command.PauseLimit(GPU))).isEqualTo(Applied.DONE);

    assertThat(limit(GPU).paused()).isTrue();
    assertThat(limit(GPU).used()).isEqualTo(1);
    assertThat(endAndClaim(claimer, running, 10)).isEmpty();
    assertThat(store.apply(new Command.ResumeLimit(GPU))).isEqualTo(Applied.DONE);
    assertThat(limit(GPU).paused()).isFalse();
    assertThat(claimAll(claimer, 10)).hasSize(2);
  }

  @Test
  void aPausedRulePausesAllItsKeys() {
    submitLike(Draft.task().under(ADA, 1), 2);
    submitLike(Draft.task().under(BOB, 1), 2);
    Claimer claimer = claimerSaying(new LimitRule(PER_USER, 1));
    store.apply(new Command.PauseLimit(PER_USER));

    assertThat(claimAll(claimer, 10)).isEmpty();
    store.apply(new Command.ResumeLimit(PER_USER));
    assertThat(claimAll(claimer, 10)).hasSize(2);
  }

  @Test
  void anOpenTaskOfATypeIsNotUnderItsLimit() {
    submitLike(Draft.task(), 3);
    Claimer claimer = claimerSaying(new LimitRule(MAIL, 1));

    assertThat(claimAll(claimer, 10)).hasSize(3);
    assertThat(limit(MAIL).used()).isZero();
  }

  @Test
  void whatIsSoAlreadyIsUnchanged() {
    assertThat(reset(GPU)).isEqualTo(Applied.UNCHANGED);
    assertThat(store.apply(new Command.ResumeLimit(GPU))).isEqualTo(Applied.UNCHANGED);
    store.apply(new Command.PauseLimit(GPU));
    assertThat(store.apply(new Command.PauseLimit(GPU))).isEqualTo(Applied.UNCHANGED);
    set(GPU, 2);
    assertThat(set(GPU, 2)).isEqualTo(Applied.UNCHANGED);
  }

  private void assertNumber(LimitKey key, int slots, Source source) {
    LimitView limit = limit(key);
    assertThat(limit.slots()).as("slots of %s", key).isEqualTo(slots);
    assertThat(limit.source()).as("source of %s", key).isEqualTo(source);
  }
}
