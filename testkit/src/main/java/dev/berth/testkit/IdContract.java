package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.limit.LimitKey;
import dev.berth.limit.WhenFull;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.Retention;
import dev.berth.task.TaskState;
import dev.berth.view.TaskView;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An id is one task: another one under it is a conflict, and a text is found again. */
abstract class IdContract extends ContractTest {

  private static final Draft CHARGE = Draft.task().type("charge").named("order-42").payload("1");

  private static final Draft SHIP = Draft.task().type("ship").named("order-42").payload("1");

  @Test
  void aTextMakesAnotherIdForEachType() {
    assertThat(submit(CHARGE)).isEqualTo(new Submitted.Accepted(CHARGE.id()));
    assertThat(submit(SHIP)).isEqualTo(new Submitted.Accepted(SHIP.id()));
    assertThat(submit(CHARGE)).isEqualTo(new Submitted.Existing(CHARGE.id()));
  }

  @Test
  void theTasksOfATextAreFoundAliveAndEnded() {
    submit(SHIP);
    submit(CHARGE);
    Claimer claimer = claimer("charge");
    claimer.end(claimer.claimOne(), FINISHED);
    submit(Draft.task().type("charge").named("order-43"));

    assertThat(reader.named("order-42"))
        .extracting(TaskView::type, TaskView::id, TaskView::state, task -> task.input().name())
        .containsExactly(
            tuple("charge", CHARGE.id(), TaskState.FINISHED, "order-42"),
            tuple("ship", SHIP.id(), TaskState.PENDING, "order-42"));
    assertThat(reader.named("order-4")).isEmpty();
  }

  @Test
  void theTextStaysWithATaskThatIsCancelledAndRetried() {
    submit(CHARGE);
    cancel(CHARGE.id());
    assertThat(reader.named("order-42"))
        .extracting(TaskView::state)
        .containsExactly(TaskState.CANCELLED);

    retry(CHARGE.id());
    assertThat(reader.named("order-42"))
        .extracting(TaskView::state)
        .containsExactly(TaskState.PENDING);
  }

  @Test
  void anotherTypeUnderAnIdIsAConflict() {
    Draft mail = Draft.task();
    submit(mail);

    assertConflict(
        mail.type("ship"),
        "The task %s of type ship was not submitted: this id belongs to a task of type mail"
            .formatted(mail.id()));
    assertThat(view(mail.id()).type()).isEqualTo("mail");
  }

  @Test
  void anotherPayloadUnderAnIdIsAConflict() {
    submit(CHARGE);

    assertConflict(
        CHARGE.payload("2"),
        "The task %s (order-42) of type charge was not submitted: this id belongs to a task of"
                .formatted(CHARGE.id())
            + " type charge with another payload");
    assertThat(view(CHARGE.id()).payload()).isEqualTo("1");
  }

  @Test
  void aTaskThatHasEndedIsComparedToo() {
    submit(CHARGE);
    Claimer claimer = claimer("charge");
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(submit(CHARGE)).isEqualTo(new Submitted.Existing(CHARGE.id()));
    assertConflict(CHARGE.payload("2"), "with another payload");
    assertConflict(CHARGE.type("ship"), "belongs to a task of type charge");
  }

  @Test
  void aTaskOfWhichNoHistoryIsKeptCannotBeCompared() {
    submit(CHARGE);
    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled("charge", Retention.NONE, 5)));
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(submit(CHARGE.payload("2"))).isEqualTo(new Submitted.Accepted(CHARGE.id()));
  }

  @Test
  void aConflictKeepsAWholeBatchOut() {
    submit(CHARGE);
    Submission fresh = Draft.task().submission();

    assertThatThrownBy(() -> store.submit(List.of(fresh, CHARGE.payload("2").submission())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("with another payload");
    assertThatThrownBy(
            () -> store.submit(List.of(fresh, SHIP.submission(), SHIP.payload("2").submission())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("with another payload");

    assertThat(reader.find(fresh.id())).isEmpty();
    assertThat(reader.find(SHIP.id())).isEmpty();
  }

  @Test
  void aConflictUnderAQuotaIsOneToo() {
    Draft quota = CHARGE.quota(LimitKey.ofType("charge"), 1, WhenFull.EXISTING);
    submit(quota);

    assertThat(submit(quota)).isEqualTo(new Submitted.Existing(CHARGE.id()));
    assertConflict(quota.payload("2"), "with another payload");
  }

  @Test
  void aStepIsComparedAsLongAsItIsKnown() {
    Draft step = Draft.task().step("order", "pack").payload("1");
    submit(step);

    assertThat(submit(step)).isEqualTo(new Submitted.Existing(step.id()));
    assertConflict(step.payload("2"), "with another payload");
    assertConflict(step.type("ship"), "belongs to a task of type mail");

    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.NONE, 5)));
    claimer.end(claimer.claimOne(), FINISHED);
    assertConflict(step.type("ship"), "belongs to a task of type mail");
  }

  private void assertConflict(Draft other, String sentence) {
    assertThatThrownBy(() -> submit(other))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.CONFLICT))
        .hasMessageContaining(sentence);
  }
}
