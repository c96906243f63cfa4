package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Held;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.SessionId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A slot is taken from a holder that somebody knows to be dead. */
abstract class ReleaseSlotContract extends LimitTest {

  private static final LimitKey ADA = LimitKey.ofTypePer(Draft.TYPE, "user", "ada");

  @Test
  void theTaskGoesBackWithAllItsSlots() {
    TaskId task = submit(Draft.task().under(gpu(3), 2).under(ADA, 1)).id();
    Claim claim = claimer().claimOne();
    assertThat(used(GPU)).isEqualTo(2);

    assertThat(release(GPU, claim.lease().token())).isEqualTo(Applied.DONE);

    assertThat(used(GPU)).isZero();
    assertThat(used(ADA)).isZero();
    assertThat(reader.drift()).isEmpty();
    assertThat(state(task)).isEqualTo(TaskState.RETRYING);
    assertThat(view(task).counts().crashes()).isEqualTo(1);
    assertThat(reader.attempts(task).getFirst().error())
        .contains("lost the task when its slot of the limit limit/gpu was released by hand");
    assertThat(endings(task)).containsExactly(Ending.CRASHED);
  }

  @Test
  void theOldHolderIsStaleAndAnotherHasTheSlot() {
    submit(Draft.task().under(gpu(1)));
    Claimer dead = claimer();
    Claim lost = dead.claimOne();
    release(GPU, lost.lease().token());
    Claimer alive = claimer();
    Claim again = claimAll(alive, 1).getFirst();
    assertThat(again.lease().task()).isEqualTo(lost.lease().task());
    assertThat(again.lease().token()).isGreaterThan(lost.lease().token());

    assertThat(dead.end(lost, FINISHED).stale()).containsExactly(lost.lease());

    assertThat(state(again.lease().task())).isEqualTo(TaskState.RUNNING);
    assertThat(used(GPU)).isEqualTo(1);
    assertThat(alive.end(again, FINISHED).stale()).isEmpty();
    assertThat(used(GPU)).isZero();
    assertThat(reader.drift()).isEmpty();
  }

  @Test
  void theOldHolderIsStaleBeforeAnybodyElseStarts() {
    TaskId task = submit(Draft.task().under(gpu(1))).id();
    Claimer dead = claimer();
    Claim lost = dead.claimOne();
    release(GPU, lost.lease().token());

    assertThat(dead.end(lost, FINISHED).stale()).containsExactly(lost.lease());
    assertThat(state(task)).isEqualTo(TaskState.RETRYING);
    dead.leave();
    assertThat(endings(task)).containsExactly(Ending.CRASHED);
    assertThat(used(GPU)).isZero();
  }

  @Test
  void onlyTheHolderWithThisTokenIsMeant() {
    submitLike(Draft.task().under(gpu(2)), 2);
    Claimer claimer = claimer();
    List<Claim> running = claimAll(claimer, 2);
    long token = running.getFirst().lease().token();
    assertThat(release(LimitKey.shared("printer"), token)).isEqualTo(Applied.NOT_FOUND);
    release(GPU, token);

    assertThat(release(GPU, token)).isEqualTo(Applied.NOT_FOUND);

    assertThat(used(GPU)).isEqualTo(1);
    assertThat(claimer.end(running.getLast(), FINISHED).stale()).isEmpty();
    assertThat(release(GPU, running.getLast().lease().token())).isEqualTo(Applied.NOT_FOUND);
  }

  @Test
  void aTaskThatTookTooManyWorkersDownHasFailed() {
    TaskId task = submit(Draft.task().under(gpu(1))).id();
    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 1)));

    release(GPU, claimer.claimOne().lease().token());

    assertThat(state(task)).isEqualTo(TaskState.FAILED);
    assertThat(used(GPU)).isZero();
  }

  @Test
  void aTaskThatWasToBeCancelledIsCancelled() {
    TaskId task = submit(Draft.task().under(gpu(1))).id();
    Claim claim = claimer().claimOne();
    cancel(task);

    release(GPU, claim.lease().token());

    assertThat(state(task)).isEqualTo(TaskState.CANCELLED);
    assertThat(used(GPU)).isZero();
  }

  @Test
  void slotsHeldWithoutATaskAreFree() {
    SessionId session = claimer().id();
    Held.Done held = (Held.Done) store.hold(session, 1, new Need(GPU, 2, 2));
    submit(Draft.task().under(gpu(2)));
    Claimer claimer = claimer();
    assertThat(claimAll(claimer, 1)).isEmpty();

    assertThat(release(GPU, held.token())).isEqualTo(Applied.DONE);

    assertThat(used(GPU)).isZero();
    assertThat(store.release(session, 1)).isFalse();
    assertThat(claimAll(claimer, 1)).hasSize(1);
    assertThat(reader.drift()).isEmpty();
  }

  private Applied release(LimitKey key, long token) {
    return store.apply(new Command.ReleaseSlot(key, token));
  }
}
