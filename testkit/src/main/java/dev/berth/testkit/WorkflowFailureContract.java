package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskState;
import dev.berth.view.WorkflowView.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the steps after one that has failed for good or was cancelled. */
abstract class WorkflowFailureContract extends WorkflowTest {

  @Test
  void aFailedStepHaltsItsWorkflow() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    nothingStarts(claimer);
    pass(Duration.ofDays(1));
    nothingStarts(claimer());

    assertThat(workflowState()).isEqualTo(State.HALTED);
    assertThat(workflow().step()).isEqualTo("charge");
    assertThat(stepState("charge")).isEqualTo(TaskState.FAILED);
    assertThat(step("charge").error()).isEqualTo("no such address");
    assertThat(state(id("pack"))).isEqualTo(TaskState.PENDING);
    assertThat(state(id("ship"))).isEqualTo(TaskState.PENDING);
  }

  @Test
  void whatIsAppendedToAHaltedWorkflowWaitsToo() {
    submitSteps("charge");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);
    assertThat(workflowState()).isEqualTo(State.HALTED);

    submitSteps("pack");

    nothingStarts(claimer);
    assertThat(workflowState()).isEqualTo(State.HALTED);
  }

  @Test
  void aRetriedStepRunsAndThenThoseAfterIt() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    assertThat(retry(id("charge"))).isEqualTo(Applied.DONE);

    assertThat(workflowState()).isEqualTo(State.RUNNING);
    finish(claimer, "charge", "pack");
    assertThat(workflowState()).isEqualTo(State.FINISHED);
  }

  @Test
  void aFailedStepCanBeRetriedAlsoWhereNoHistoryIsKept() {
    Claimer claimer =
        Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.NONE, 5)));
    submitSteps("charge", "pack");
    run(claimer, "charge", FAILED);

    assertThat(retry(id("charge"))).isEqualTo(Applied.DONE);
    finish(claimer, "charge", "pack");
  }

  @Test
  void aStepThatTookTooManyWorkersDownHaltsItsWorkflow() {
    submitSteps("charge", "pack");
    List<Handled> once = List.of(new Handled(Draft.TYPE, Retention.DEFAULT, 1));
    claimStep(Claimer.open(store, "worker", once), "charge");

    pass(LEASE_OVER);

    Claimer later = Claimer.open(store, "worker", once);
    nothingStarts(later);
    assertThat(stepState("charge")).isEqualTo(TaskState.FAILED);
    assertThat(workflowState()).isEqualTo(State.HALTED);
    retry(id("charge"));
    finish(later, "charge", "pack");
  }

  @Test
  void aCancelledStepHaltsItsWorkflow() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();
    Claim charge = claimStep(claimer, "charge");
    assertThat(cancel(id("charge"))).isEqualTo(Applied.REQUESTED);
    claimer.end(charge, new Outcome.Cancelled("stopped"));

    nothingStarts(claimer);
    assertThat(workflowState()).isEqualTo(State.HALTED);
    retry(id("charge"));
    assertThat(cancel(id("charge"))).isEqualTo(Applied.DONE);
    nothingStarts(claimer);
    retry(id("charge"));
    finish(claimer, "charge", "pack", "ship");
  }

  @Test
  void aStepThatIsCancelledBeforeItsTurnHoldsOnlyThoseAfterIt() {
    submitSteps("charge", "pack", "ship");
    assertThat(cancel(id("pack"))).isEqualTo(Applied.DONE);
    assertThat(workflowState()).isEqualTo(State.RUNNING);
    Claimer claimer = claimer();

    finish(claimer, "charge");

    nothingStarts(claimer);
    assertThat(workflowState()).isEqualTo(State.HALTED);
    assertThat(workflow().step()).isEqualTo("pack");
    retry(id("pack"));
    finish(claimer, "pack", "ship");
  }

  @Test
  void aStepThatIsCancelledWhileItsWorkerDiesHaltsItsWorkflow() {
    submitSteps("charge", "pack");
    claimStep(claimer(), "charge");
    cancel(id("charge"));

    pass(LEASE_OVER);

    nothingStarts(claimer());
    assertThat(stepState("charge")).isEqualTo(TaskState.CANCELLED);
    assertThat(workflowState()).isEqualTo(State.HALTED);
  }

  @Test
  void aWorkflowMayContinue() {
    submitSteps(OnFailure.CONTINUE, "charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);
    Claim pack = claimStep(claimer, "pack");
    cancel(id("pack"));
    claimer.end(pack, new Outcome.Cancelled("stopped"));

    finish(claimer, "ship");

    assertThat(workflowState()).isEqualTo(State.FINISHED);
    assertThat(workflow().count(TaskState.FAILED)).isOne();
    assertThat(workflow().count(TaskState.CANCELLED)).isOne();
  }

  @Test
  void eachStepSaysWhatBecomesOfThoseAfterIt() {
    submitAll(
        Draft.task().step(ORDER, "charge", OnFailure.CONTINUE),
        Draft.task().step(ORDER, "pack", OnFailure.HALT),
        Draft.task().step(ORDER, "ship", OnFailure.CONTINUE));
    Claimer claimer = claimer();

    run(claimer, "charge", FAILED);
    run(claimer, "pack", FAILED);

    nothingStarts(claimer);
    assertThat(workflow().step()).isEqualTo("pack");
  }

  @Test
  void aStepThatIsRetriedLateRunsBeforeWhatIsLeft() {
    submitSteps(OnFailure.CONTINUE, "charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);
    Claim pack = claimStep(claimer, "pack");

    assertThat(retry(id("charge"))).isEqualTo(Applied.DONE);

    nothingStarts(claimer);
    claimer.end(pack, FINISHED);
    finish(claimer, "charge", "ship");
    assertThat(workflowState()).isEqualTo(State.FINISHED);
  }

  @Test
  void theRestMayBeCancelled() {
    submitSteps(OnFailure.CANCEL_REST, "charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    nothingStarts(claimer);
    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
    assertThat(state(id("ship"))).isEqualTo(TaskState.CANCELLED);
    assertThat(view(id("ship")).error()).isEqualTo("step charge of the workflow has failed");
    assertThat(workflowState()).isEqualTo(State.FAILED);
    assertThat(workflow().step()).isEqualTo("charge");
    assertThat(reader.queues()).isEmpty();
  }

  @Test
  void itDoesNotMatterWhetherAnAppendComesBeforeOrAfterTheFailure() {
    submitSteps(OnFailure.CANCEL_REST, "charge");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    submitSteps("pack");

    nothingStarts(claimer);
    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
  }

  @Test
  void aCancelledRestHoldsNothingOnceTheCauseIsRetried() {
    submitSteps(OnFailure.CANCEL_REST, "charge", "pack");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);
    retry(id("charge"));
    finish(claimer, "charge");

    submitSteps("ship");

    finish(claimer, "ship");
    assertThat(workflowState()).isEqualTo(State.FINISHED);
  }
}
