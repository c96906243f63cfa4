package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.TaskId;
import dev.berth.view.QuotaView;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Steps under limits and quotas, and in queues that are paused. */
abstract class WorkflowLimitContract extends WorkflowTest {

  @Test
  void aHeldStepTakesNoSlot() {
    Limit gpu = gpu(1);
    submitAll(
        Draft.task().step(ORDER, "charge"),
        Draft.task().under(gpu).step(ORDER, "render"),
        Draft.task().step(ORDER, "pack"));
    TaskId other = submit(Draft.task().under(gpu)).id();
    Claimer claimer = claimer();

    List<Claim> both = claimAll(claimer, 10);
    assertThat(ids(both)).containsExactlyInAnyOrder(id("charge"), other);
    assertThat(limit(GPU).waiting()).isZero();
    Claim charge =
        both.stream().filter(c -> c.lease().task().equals(id("charge"))).findFirst().orElseThrow();
    claimer.end(charge, FINISHED);
    nothingStarts(claimer);
    assertThat(limit(GPU).waiting()).isOne();
    both.stream().filter(c -> c != charge).forEach(c -> claimer.end(c, FINISHED));

    Claim render = claimStep(claimer, "render");
    assertThat(limit(GPU).used()).isOne();
    claimer.end(render, FINISHED);
    finish(claimer, "pack");
    assertThat(used(GPU)).isZero();
  }

  @Test
  void aLimitSetByHandCountsForHeldSteps() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    finish(claimer, "charge"); // pack is ready
    submitSteps("ship");
    set(MAIL, 0);
    nothingStarts(claimer()); // a new one: it looks at everything
    set(MAIL, 1);

    Claimer later = claimer();
    finish(later, "pack");
    claimStep(later, "ship");
    assertThat(limit(MAIL).used()).isOne();
  }

  @Test
  void heldStepsCountForQuotasAndNoneComesBehindOneThatIsRefused() {
    Draft draft = Draft.task().quota(MAIL, 2, WhenFull.REFUSE);
    List<Submission> batch =
        Stream.of("charge", "pack", "ship", "bill")
            .map(name -> (name.equals("bill") ? Draft.task() : draft).step(ORDER, name))
            .map(Draft::submission)
            .toList();

    assertThat(store.submit(batch))
        .hasSize(4)
        .startsWith(new Submitted.Accepted(id("charge")), new Submitted.Accepted(id("pack")))
        .last()
        .isInstanceOf(Submitted.QuotaFull.class);
    assertThat(reader.quotas()).containsExactly(new QuotaView(MAIL, 2));
    assertThat(workflow().size()).isEqualTo(2);

    Claimer claimer = claimer();
    finish(claimer, "charge");
    assertThat(store.submit(batch))
        .containsExactly(
            new Submitted.Existing(id("charge")),
            new Submitted.Existing(id("pack")),
            new Submitted.Accepted(id("ship")),
            new Submitted.Accepted(id("bill")));
    finish(claimer, "pack", "ship", "bill");
    assertThat(reader.quotas()).isEmpty();
  }

  @Test
  void aStepIsNotReplacedUnderAQuota() {
    LimitKey key = LimitKey.shared("one");
    submit(Draft.task().quota(key, 1, WhenFull.REPLACE).step(ORDER, "charge"));

    assertThat(submit(Draft.task().quota(key, 1, WhenFull.REPLACE)))
        .isInstanceOf(Submitted.QuotaFull.class);
    finish(claimer(), "charge");
  }

  @Test
  void aPausedQueueHoldsItsStepsOnly() {
    submitAll(
        Draft.task().step(ORDER, "charge"), Draft.task().queue("letters").step(ORDER, "pack"));
    store.apply(new Command.PauseQueue("letters"));
    Claimer claimer = claimer();
    finish(claimer, "charge");
    assertThat(claimer.claim(10, "default", "letters")).isEmpty();

    store.apply(new Command.ResumeQueue("letters"));
    assertThat(claimer.claimIds(10, "default", "letters")).containsExactly(id("pack"));
  }
}
