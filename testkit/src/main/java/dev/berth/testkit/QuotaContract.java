package dev.berth.testkit;

import static dev.berth.limit.WhenFull.CANCEL;
import static dev.berth.limit.WhenFull.EXISTING;
import static dev.berth.limit.WhenFull.REFUSE;
import static dev.berth.limit.WhenFull.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Claim;
import dev.berth.store.Schedule;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.QuotaView;
import dev.berth.view.TaskFilter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quotas: how many tasks are pending or running, and what a submit does that finds one full. */
abstract class QuotaContract extends QuotaTest {

  @Test
  void aTaskUnderTooManyOrTooLongQuotasIsRefusedWithASentence() {
    Draft twenty = Draft.task();
    for (int i = 0; i < 20; i++) {
      twenty = twenty.quota(LimitKey.shared("disk" + i), 9, REFUSE);
    }
    accepted(twenty);
    Draft many = twenty;
    assertThatIllegalArgumentException()
        .as("a schedule has a quota of its own")
        .isThrownBy(() ->
            new Schedule(
                "nightly",
                new Timing.Every(Duration.ofHours(1)),
                Missed.ONCE,
                Overlap.SKIP,
                many.submission()))
        .withMessageContaining("is under 21 quotas");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> many.quota(LimitKey.shared("one more"), 9, REFUSE))
        .withMessage("A task of type \"mail\" is under 21 quotas; at most 20 are allowed");
    Draft whole = Draft.task().quota(LimitKey.shared("\u5b57".repeat(430)), 9, REFUSE);
    accepted(whole);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> whole.quota(LimitKey.shared("\u5b58".repeat(436)), 9, REFUSE))
        .withMessageContaining("they take 2610 bytes, at most 2600 are allowed");
  }

  @Test
  void aFullQuotaRefuses() {
    accepted(mail(2));
    accepted(mail(2).delay(Duration.ofHours(1)));

    refused(mail(2), MAIL, 2);

    assertThat(reader.quotas()).containsExactly(new QuotaView(MAIL, 2));
    assertThat(reader.list(TaskFilter.ALL)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void aQuotaOf0RefusesAll(WhenFull whenFull) {
    TaskId before = accepted(mail(1, whenFull));

    refused(mail(0, whenFull), MAIL, 0);

    assertThat(state(before)).isEqualTo(TaskState.PENDING);
    cancel(before);
    refused(mail(0, whenFull), MAIL, 0);
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aTaskWithoutAQuotaIsNotCounted() {
    accepted(mail(1));

    submitMany(3);

    assertThat(reader.quotas()).containsExactly(new QuotaView(MAIL, 1));
    assertThat(claimer().claim(10)).hasSize(4);
  }

  @Test
  void quotasOfOtherKeysAreIndependent() {
    accepted(Draft.task().quota(ADA, 1, REFUSE));

    refused(Draft.task().quota(ADA, 1, REFUSE), ADA, 1);

    accepted(Draft.task().quota(BOB, 1, REFUSE));
    assertThat(List.of(count(ADA), count(BOB))).containsExactly(1, 1);
  }

  @Test
  void keysMayHoldAnyReadableCharacter() {
    LimitKey key = LimitKey.ofTypePer("čísla/50%", "q\"u\\o,t{a}", "NULL '🚢");
    accepted(Draft.task().quota(key, 1, REFUSE));

    refused(Draft.task().quota(key, 1, REFUSE), key, 1);

    assertThat(reader.quotas()).containsExactly(new QuotaView(key, 1));
  }

  @Test
  void theNumberOfTheSubmitCounts() {
    accepted(mail(3));
    accepted(mail(3));
    accepted(mail(3));

    refused(mail(1), MAIL, 1);

    accepted(mail(4));
  }

  @Test
  void aTaskIsCountedUnderAllItsQuotasOrUnderNone() {
    accepted(mail(9).quota(ADA, 1, REFUSE));

    refused(mail(9).quota(ADA, 1, REFUSE), ADA, 1);

    assertThat(count(MAIL)).isEqualTo(1);
    accepted(mail(9).quota(BOB, 1, REFUSE));
    assertThat(count(MAIL)).isEqualTo(2);
    refused(mail(2).quota(LimitKey.ofTypePer(Draft.TYPE, "user", "eve"), 1, REFUSE), MAIL, 2);
    assertThat(reader.quotas()).hasSize(3);
  }

  @Test
  void aRepeatWithTheSameIdIsExistingAndCountsNothing() {
    Draft own = mail(1).ownId(TaskId.named("mail", "order-42"));
    accepted(own);

    assertThat(submit(own)).isEqualTo(new Submitted.Existing(own.id()));
    assertThat(submitBatch(own, own))
        .containsExactly(new Submitted.Existing(own.id()), new Submitted.Existing(own.id()));

    assertThat(count(MAIL)).isEqualTo(1);
  }

  @Test
  void aRepeatAfterTheEndIsExistingAndCountsNothing() {
    Draft own = mail(1).ownId(TaskId.named("mail", "order-42"));
    accepted(own);
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(submit(own)).isEqualTo(new Submitted.Existing(own.id()));

    assertThat(count(MAIL)).isZero();
    accepted(mail(1));
    assertThat(submit(own)).isEqualTo(new Submitted.Existing(own.id()));
  }

  @Test
  void aFullQuotaAnswersWithTheOldestThatIsThere() {
    TaskId first = accepted(mail(2, EXISTING));
    accepted(mail(2, EXISTING));
    Draft third = mail(2, EXISTING);

    assertThat(submit(third)).isEqualTo(new Submitted.Existing(first));

    assertThat(reader.find(third.id())).isEmpty();
    Claimer claimer = claimer();
    claimer.claimOne();
    assertThat(submit(mail(2, EXISTING))).isEqualTo(new Submitted.Existing(first));
    assertThat(count(MAIL)).isEqualTo(2);
  }

  @Test
  void theOldestThatDoesNotRunIsReplaced() {
    TaskId running = accepted(mail(3, REPLACE));
    Claimer claimer = claimer();
    claimer.claimOne();
    TaskId oldest = accepted(mail(3, REPLACE).delay(Duration.ofHours(1)));
    TaskId other = accepted(mail(3, REPLACE));

    TaskId added = accepted(mail(3, REPLACE));

    assertThat(state(running)).isEqualTo(TaskState.RUNNING);
    assertThat(state(oldest)).isEqualTo(TaskState.CANCELLED);
    assertThat(view(oldest).error()).isEqualTo("replaced by task " + added);
    assertThat(endings(oldest)).containsExactly(Ending.CANCELLED);
    assertThat(count(MAIL)).isEqualTo(3);
    assertThat(claimer.claimIds(10)).containsExactly(other, added);
    refused(mail(3, REPLACE), MAIL, 3);
  }

  @Test
  void aTaskThatWaitsForItsRetryIsReplaced() {
    TaskId id = accepted(mail(1, REPLACE));
    Claimer claimer = claimer();
    claimer.end(claimer.claimOne(), LimitTest.retryIn(Duration.ofHours(1)));

    accepted(mail(1, REPLACE));

    assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
    assertThat(count(MAIL)).isEqualTo(1);
  }

  @Test
  void nothingIsReplacedWhereThatWouldNotBeEnough() {
    TaskId first = accepted(mail(2));
    accepted(mail(2));

    refused(mail(1, REPLACE), MAIL, 1);

    assertThat(state(first)).isEqualTo(TaskState.PENDING);
    assertThat(count(MAIL)).isEqualTo(2);
  }

  @Test
  void oneReplacedTaskMakesRoomUnderSeveralQuotas() {
    TaskId bobs = accepted(mail(2, REPLACE).quota(BOB, 1, REPLACE));
    TaskId adas = accepted(mail(2, REPLACE).quota(ADA, 1, REPLACE));

    accepted(mail(2, REPLACE).quota(ADA, 1, REPLACE));

    assertThat(state(adas)).isEqualTo(TaskState.CANCELLED);
    assertThat(state(bobs)).isEqualTo(TaskState.PENDING);
    assertThat(List.of(count(MAIL), count(ADA), count(BOB))).containsExactly(2, 1, 1);
  }

  @Test
  void aReplacedTaskGivesBackUnderAllItsQuotas() {
    TaskId bobs = accepted(mail(1, REPLACE).quota(BOB, 1, REPLACE));

    accepted(mail(1, REPLACE).quota(ADA, 1, REPLACE));

    assertThat(state(bobs)).isEqualTo(TaskState.CANCELLED);
    assertThat(List.of(count(MAIL), count(ADA), count(BOB))).containsExactly(1, 1, 0);
  }

  @Test
  void nothingIsReplacedWhereAnotherQuotaRefuses() {
    TaskId first = accepted(mail(1, REPLACE).quota(ADA, 1, REFUSE));

    refused(mail(1, REPLACE).quota(ADA, 1, REFUSE), ADA, 1);

    assertThat(state(first)).isEqualTo(TaskState.PENDING);
  }

  @Test
  void nothingIsReplacedWhereAnotherQuotaHasNothingToReplace() {
    TaskId adas = accepted(Draft.task().quota(ADA, 1, REPLACE));
    accepted(mail(1, REPLACE).priority(9));
    claimer().claimOne();

    refused(mail(1, REPLACE).quota(ADA, 1, REPLACE), MAIL, 1);

    assertThat(state(adas)).isEqualTo(TaskState.PENDING);
    assertThat(List.of(count(MAIL), count(ADA))).containsExactly(1, 1);
  }

  @Test
  void theOldestThatRunsIsAskedToStop() {
    TaskId first = accepted(mail(2, CANCEL));
    accepted(mail(2, CANCEL));
    Claimer claimer = claimer();
    Claim running = claimer.claimOne();
    claimer.claimOne();
    Draft third = mail(2, CANCEL);

    Submitted stopping = new Submitted.QuotaFull(third.id(), MAIL.value(), 2, first);
    assertThat(submit(third)).isEqualTo(stopping);
    assertThat(submit(third)).isEqualTo(stopping); // again the same, not the next

    assertThat(claimer.heartbeat().cancelled()).containsExactly(running.lease());
    assertThat(count(MAIL)).isEqualTo(2);
    claimer.end(running, RELEASED);
    assertThat(state(first)).isEqualTo(TaskState.CANCELLED);
    assertThat(view(first).error()).isEqualTo("stopped to make room under the quota type/mail");
    accepted(third);
  }

  @Test
  void whereNothingRunsNothingIsAskedToStop() {
    TaskId first = accepted(mail(1, CANCEL));

    refused(mail(1, CANCEL), MAIL, 1);

    assertThat(state(first)).isEqualTo(TaskState.PENDING);
  }

  @Test
  void ofSeveralFullQuotasTheOneThatChangesLeastDecides() {
    TaskId first = accepted(mail(1, CANCEL).quota(ADA, 1, EXISTING).quota(BOB, 1, REPLACE));
    Claimer claimer = claimer();
    claimer.claimOne();

    assertThat(submit(mail(1, CANCEL).quota(ADA, 1, EXISTING).quota(BOB, 1, REPLACE)))
        .isEqualTo(new Submitted.Existing(first));

    assertThat(claimer.heartbeat().cancelled()).isEmpty();
  }

  @Test
  void aBatchIsAnsweredOneByOne() {
    Draft known = mail(9).ownId(TaskId.named("mail", "order-42"));
    accepted(known);
    Draft first = mail(2);
    Draft second = mail(2);
    Draft free = Draft.task();
    Draft ada = mail(9).quota(ADA, 1, EXISTING);
    Draft adaAgain = mail(9).quota(ADA, 1, EXISTING);

    assertThat(submitBatch(first, second, known, free, ada, second, adaAgain))
        .containsExactly(
            new Submitted.Accepted(first.id()),
            refusal(second, MAIL, 2),
            new Submitted.Existing(known.id()),
            new Submitted.Accepted(free.id()),
            new Submitted.Accepted(ada.id()),
            refusal(second, MAIL, 2),
            new Submitted.Existing(ada.id()));

    assertThat(List.of(count(MAIL), count(ADA))).containsExactly(3, 1);
    assertThat(claimer().claimIds(10))
        .containsExactlyInAnyOrder(known.id(), first.id(), free.id(), ada.id());
  }

  @Test
  void aTaskMayBeReplacedInItsOwnBatch() {
    Draft first = mail(2, REPLACE);
    Draft second = mail(2, REPLACE);
    Draft third = mail(2, REPLACE);
    Draft fourth = mail(2, REPLACE);

    assertThat(submitBatch(first, second, third, fourth))
        .hasOnlyElementsOfType(Submitted.Accepted.class);

    assertThat(count(MAIL)).isEqualTo(2);
    assertThat(state(first.id())).isEqualTo(TaskState.CANCELLED);
    assertThat(state(second.id())).isEqualTo(TaskState.CANCELLED);
    assertThat(claimer().claimIds(10)).containsExactly(third.id(), fourth.id());
  }

  @Test
  void aLargeBatchFillsAQuotaExactly() {
    Draft[] drafts = new Draft[1_000];
    Arrays.setAll(drafts, i -> mail(300).quota(i % 2 == 0 ? ADA : BOB, 200, REFUSE));

    List<Submitted> answers = submitBatch(drafts);

    assertThat(answers).filteredOn(Submitted.Accepted.class::isInstance).hasSize(300);
    assertThat(answers.subList(0, 300)).hasOnlyElementsOfType(Submitted.Accepted.class);
    assertThat(List.of(count(MAIL), count(ADA), count(BOB))).containsExactly(300, 150, 150);
    assertThat(claimer().claim(1_000)).hasSize(300);
  }
}
