package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.Counts;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes by hand: cancel, retry, pause, resume. */
abstract class CommandContract extends ContractTest {

  @Test
  void aPendingTaskIsCancelledAtOnce() {
    TaskId ready = submitOne();
    TaskId delayed = submit(Draft.task().delay(Duration.ofMinutes(1))).id();

    assertThat(cancel(ready)).isEqualTo(Applied.DONE);
    assertThat(cancel(delayed)).isEqualTo(Applied.DONE);

    pass(Duration.ofMinutes(2));
    assertThat(claimer().claim(10)).isEmpty();
    assertThat(state(delayed)).isEqualTo(TaskState.CANCELLED);
    assertThat(state(ready)).isEqualTo(TaskState.CANCELLED);
    assertThat(view(ready).error()).isEqualTo("not wanted");
    AttemptView attempt = reader.attempts(ready).getFirst();
    assertThat(attempt.ending()).isEqualTo(Ending.CANCELLED);
    assertThat(attempt.startedAt()).isNull();
    assertThat(attempt.error()).isEqualTo("not wanted");
  }

  @Test
  void aRetryingTaskIsCancelledAtOnce() {
    TaskId id = submitAndEnd(new Outcome.Retrying("busy", Duration.ofMinutes(1)));

    assertThat(cancel(id)).isEqualTo(Applied.DONE);

    pass(Duration.ofMinutes(2));
    assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
    assertThat(endings(id)).containsExactly(Ending.RETRYING, Ending.CANCELLED);
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void theSessionOfARunningTaskIsAskedToCancelIt() {
    List<TaskId> ids = submitMany(2);
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    claimer.claimOne();

    assertThat(cancel(ids.get(0))).isEqualTo(Applied.REQUESTED);

    assertThat(state(ids.get(0))).isEqualTo(TaskState.RUNNING);
    assertThat(claimer.heartbeat().cancelled()).containsExactly(claim.lease());
    assertThat(Claimer.done(claimer.exchange(List.of(), 0)).cancelled())
        .containsExactly(claim.lease());
    assertThat(claimer().heartbeat().cancelled()).isEmpty();
    assertThat(cancel(ids.get(0))).isIn(Applied.REQUESTED, Applied.UNCHANGED);

    assertThat(claimer.end(claim, new Outcome.Cancelled("stopped")).cancelled()).isEmpty();
    assertThat(state(ids.get(0))).isEqualTo(TaskState.CANCELLED);
    assertThat(view(ids.get(0)).error()).isEqualTo("not wanted");
    assertThat(endings(ids.get(0))).containsExactly(Ending.CANCELLED);
  }

  @Test
  void aTaskThatFinishesFirstIsNotCancelled() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    cancel(id);

    claimer.end(claim, FINISHED);

    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
  }

  @Test
  void aTaskThatWasAskedToStopDoesNotStartAgain() {
    List<TaskId> ids = submitMany(4);
    Claimer claimer = claimer();
    List<Claim> claims = claimer.claim(2);
    Claimer leaving = claimer();
    leaving.claim(1);
    claimer().claim(1);
    ids.forEach(this::cancel);

    claimer.end(claims.get(0), RELEASED);
    claimer.end(claims.get(1), new Outcome.Retrying("busy", Duration.ZERO));
    leaving.leave();
    pass(LEASE_OVER);

    assertThat(ids)
        .allSatisfy(id -> {
          assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
          assertThat(view(id).error()).isEqualTo("not wanted");
        });
    assertThat(claimer().claim(10)).isEmpty();
  }

  @Test
  void anEndedTaskCannotBeCancelled() {
    TaskId finished = submitAndEnd(FINISHED);
    TaskId failed = submitAndEnd(FAILED);

    assertThat(cancel(finished)).isEqualTo(Applied.UNCHANGED);
    assertThat(cancel(failed)).isEqualTo(Applied.UNCHANGED);

    assertThat(state(finished)).isEqualTo(TaskState.FINISHED);
    assertThat(state(failed)).isEqualTo(TaskState.FAILED);
  }

  @Test
  void anUnknownTaskIsNotFound() {
    assertThat(cancel(TaskId.next())).isEqualTo(Applied.NOT_FOUND);
    assertThat(retry(TaskId.next())).isEqualTo(Applied.NOT_FOUND);
  }

  @Test
  void aFailedTaskIsRetriedAsIfItWereNew() {
    Draft draft = Draft.task().priority(7).payload("{\"to\":\"ada\"}");
    TaskId id = submit(draft).id();
    Claimer first = claimer();
    first.end(first.claimOne(), new Outcome.Retrying("busy", Duration.ZERO));
    store.sweep();
    Claim failed = first.claimOne();
    first.end(failed, FAILED);

    assertThat(retry(id)).isEqualTo(Applied.DONE);

    TaskView task = view(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.counts()).isEqualTo(new Counts(0, 0, 0));
    assertThat(task.times().ended()).isNull();
    assertThat(reader.list(TaskFilter.ALL)).hasSize(1);
    Claimer second = claimer();
    Claim claim = second.claimOne();
    assertThat(claim.attempt()).isEqualTo(1);
    assertThat(claim.failures()).isZero();
    assertThat(claim.payload()).isEqualTo("{\"to\":\"ada\"}");
    assertThat(claim.priority()).isEqualTo(7);
    assertThat(claim.lease().token()).isGreaterThan(failed.lease().token());
    second.end(claim, FINISHED);
    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
    assertThat(reader.list(TaskFilter.ALL)).hasSize(1);
    assertThat(endings(id)).containsExactly(Ending.RETRYING, Ending.FAILED, Ending.FINISHED);
  }

  @Test
  void aCancelledTaskIsRetriedAsIfItWereNew() {
    TaskId id = submitOne();
    cancel(id);

    assertThat(retry(id)).isEqualTo(Applied.DONE);

    assertThat(state(id)).isEqualTo(TaskState.PENDING);
    assertThat(claimer().claimIds(10)).containsExactly(id);
  }

  @Test
  void aTaskCancelledWhileItRanIsNotAskedToStopAgain() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim first = claimer.claimOne();
    cancel(id);
    claimer.end(first, new Outcome.Cancelled("not wanted"));
    retry(id);

    Claim second = claimer.claimOne();

    assertThat(claimer.heartbeat().cancelled()).isEmpty();
    claimer.end(second, RELEASED);
    assertThat(state(id)).isEqualTo(TaskState.PENDING);
  }

  @Test
  void onlyFailedAndCancelledTasksAreRetried() {
    TaskId finished = submitAndEnd(FINISHED);
    TaskId pending = submitOne();

    assertThat(retry(finished)).isEqualTo(Applied.UNCHANGED);
    assertThat(retry(pending)).isEqualTo(Applied.UNCHANGED);

    assertThat(claimer().claimIds(10)).containsExactly(pending);
    assertThat(retry(pending)).isEqualTo(Applied.UNCHANGED);
    assertThat(state(pending)).isEqualTo(TaskState.RUNNING);
  }

  @Test
  void pausingTwiceIsPausingOnce() {
    assertThat(store.apply(new Command.ResumeQueue("default"))).isEqualTo(Applied.UNCHANGED);
    assertThat(store.apply(new Command.PauseQueue("default"))).isEqualTo(Applied.DONE);
    assertThat(store.apply(new Command.PauseQueue("default"))).isEqualTo(Applied.UNCHANGED);
    assertThat(store.apply(new Command.ResumeQueue("default"))).isEqualTo(Applied.DONE);
    submitOne();

    assertThat(claimer().claim(10)).hasSize(1);
  }

  @Test
  void theRunningTasksOfAPausedQueueGoOn() {
    TaskId id = submitOne();
    Claimer claimer = claimer();
    Claim claim = claimer.claimOne();
    store.apply(new Command.PauseQueue("default"));
    TaskId later = submitOne();

    assertThat(claimer.end(claim, FINISHED).stale()).isEmpty();

    assertThat(state(id)).isEqualTo(TaskState.FINISHED);
    assertThat(claimer.claim(10)).isEmpty();
    assertThat(state(later)).isEqualTo(TaskState.PENDING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "line\nbreak"})
  void aQueueWithoutAProperNameCannotBePaused(String name) {
    assertThatThrownBy(() -> store.apply(new Command.PauseQueue(name)))
        .matches(ContractTest::saysInvalid);

    assertThat(reader.queues()).isEmpty();
  }
}
