package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.WhenFull;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.TaskState;
import dev.berth.view.WorkflowView.State;
import org.junit.jupiter.api.Test;

/** What a person can do with a workflow: skip a step, cancel it, retry it. */
abstract class WorkflowCommandContract extends WorkflowTest {

  @Test
  void aFailedStepThatIsSkippedHoldsNothingAnyMore() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    assertThat(skip("charge")).isEqualTo(Applied.DONE);

    assertThat(step("charge").skipped()).isTrue();
    assertThat(stepState("charge")).isEqualTo(TaskState.FAILED);
    finish(claimer, "pack");
    assertThat(workflowState()).isEqualTo(State.FINISHED);
    assertThat(skip("charge")).isEqualTo(Applied.UNCHANGED);
  }

  @Test
  void aStepThatIsSkippedBeforeItsTurnDoesNotRun() {
    submitSteps("charge", "pack", "ship");

    assertThat(skip("pack")).isEqualTo(Applied.DONE);
    assertThat(skip("charge")).isEqualTo(Applied.DONE);

    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
    assertThat(step("pack").skipped()).isTrue();
    finish(claimer(), "ship");
  }

  @Test
  void aRunningStepThatIsSkippedIsAskedToStop() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    Claim charge = claimStep(claimer, "charge");

    assertThat(skip("charge")).isEqualTo(Applied.REQUESTED);

    assertThat(claimer.heartbeat().cancelled()).containsExactly(charge.lease());
    nothingStarts(claimer);
    claimer.end(charge, new Outcome.Cancelled("stopped"));
    assertThat(step("charge").skipped()).isTrue();
    finish(claimer, "pack");
  }

  @Test
  void aFinishedStepCannotBeSkipped() {
    submitSteps("charge", "pack");
    finish(claimer(), "charge");

    assertThat(skip("charge")).isEqualTo(Applied.UNCHANGED);
    assertThat(skip("nothing")).isEqualTo(Applied.NOT_FOUND);
    assertThat(store.apply(new Command.SkipStep("nothing", "charge"))).isEqualTo(Applied.NOT_FOUND);
    assertThat(step("charge").skipped()).isFalse();
  }

  @Test
  void aCancelledWorkflowStartsNothingAnyMore() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();
    finish(claimer, "charge");

    assertThat(cancelWorkflow()).isEqualTo(Applied.DONE);

    nothingStarts(claimer);
    assertThat(workflowState()).isEqualTo(State.CANCELLED);
    assertThat(state(id("charge"))).isEqualTo(TaskState.FINISHED);
    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
    assertThat(view(id("ship")).error()).isEqualTo("not wanted");
    assertThat(reader.queues()).isEmpty();
    submitSteps("bill");
    nothingStarts(claimer);
    assertThat(state(id("bill"))).isEqualTo(TaskState.CANCELLED);
    assertThat(cancelWorkflow()).isEqualTo(Applied.UNCHANGED);
  }

  @Test
  void theRunningStepOfACancelledWorkflowIsAskedToStop() {
    submitSteps(OnFailure.CONTINUE, "charge", "pack");
    Claimer claimer = claimer();
    Claim charge = claimStep(claimer, "charge");

    assertThat(cancelWorkflow()).isEqualTo(Applied.REQUESTED);

    assertThat(claimer.heartbeat().cancelled()).containsExactly(charge.lease());
    claimer.end(charge, new Outcome.Cancelled("stopped"));
    nothingStarts(claimer);
    assertThat(state(id("charge"))).isEqualTo(TaskState.CANCELLED);
    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
  }

  @Test
  void aHaltedWorkflowCanBeCancelled() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    assertThat(cancelWorkflow()).isEqualTo(Applied.DONE);

    assertThat(state(id("pack"))).isEqualTo(TaskState.CANCELLED);
    assertThat(workflowState()).isEqualTo(State.CANCELLED);
  }

  @Test
  void anUnknownWorkflowIsNotFound() {
    assertThat(cancelWorkflow()).isEqualTo(Applied.NOT_FOUND);
    assertThat(retryWorkflow()).isEqualTo(Applied.NOT_FOUND);
    assertThat(reader.workflow(ORDER)).isEmpty();
  }

  @Test
  void aWorkflowThatHasEndedStaysAsItIs() {
    submitSteps("charge");
    Claimer claimer = claimer();
    finish(claimer, "charge");

    assertThat(cancelWorkflow()).isEqualTo(Applied.UNCHANGED);
    assertThat(retryWorkflow()).isEqualTo(Applied.UNCHANGED);

    assertThat(workflowState()).isEqualTo(State.FINISHED);
    submitSteps("pack");
    finish(claimer, "pack");
  }

  @Test
  void aHaltedWorkflowIsRetriedFromTheStepThatFailed() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();
    finish(claimer, "charge");
    run(claimer, "pack", FAILED);

    assertThat(retryWorkflow()).isEqualTo(Applied.DONE);

    finish(claimer, "pack", "ship");
    assertThat(retryWorkflow()).isEqualTo(Applied.UNCHANGED);
  }

  @Test
  void aWorkflowWhoseRestWasCancelledIsRetriedAsAWhole() {
    submitSteps(OnFailure.CANCEL_REST, "charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);

    assertThat(retryWorkflow()).isEqualTo(Applied.DONE);

    finish(claimer, "charge", "pack", "ship");
    assertThat(workflowState()).isEqualTo(State.FINISHED);
  }

  @Test
  void aCancelledWorkflowIsRetriedAsAWhole() {
    submitSteps("charge", "pack");
    cancelWorkflow();

    assertThat(retryWorkflow()).isEqualTo(Applied.DONE);

    assertThat(workflowState()).isEqualTo(State.RUNNING);
    finish(claimer(), "charge", "pack");
  }

  @Test
  void aStepThatIsRetriedHaltsItsWorkflowAsBefore() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    Claim charge = claimStep(claimer, "charge");
    cancelWorkflow();
    claimer.end(charge, new Outcome.Cancelled("stopped"));
    retryWorkflow();

    run(claimer, "charge", FAILED);

    nothingStarts(claimer);
    assertThat(workflowState()).isEqualTo(State.HALTED);
  }

  @Test
  void aRetryUnderAFullQuotaIsNotDone() {
    submitAll(
        Draft.task().quota(MAIL, 1, WhenFull.REFUSE).step(ORDER, "charge"),
        Draft.task().step(ORDER, "pack"));
    Claimer claimer = claimer();
    run(claimer, "charge", FAILED);
    submit(Draft.task().quota(MAIL, 1, WhenFull.REFUSE));

    assertThat(retryWorkflow()).isEqualTo(Applied.QUOTA_FULL);
    assertThat(workflowState()).isEqualTo(State.HALTED);
  }
}
