package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.StepView;
import dev.berth.view.WorkflowView;
import dev.berth.view.WorkflowView.State;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What the parts of the contract that are about workflows share. */
abstract class WorkflowTest extends LimitTest {

  static final String ORDER = "order-42";

  /** Submits steps of the usual workflow in one batch. */
  List<TaskId> submitSteps(String... names) {
    return submitSteps(OnFailure.HALT, names);
  }

  List<TaskId> submitSteps(OnFailure onFailure, String... names) {
    return submitAll(
        Stream.of(names)
            .map(name -> Draft.task().step(ORDER, name, onFailure))
            .toArray(Draft[]::new));
  }

  /** Submits so many steps, named by their numbers from 1. */
  List<TaskId> submitSteps(String workflow, int count) {
    return submitAll(
        IntStream.rangeClosed(1, count)
            .mapToObj(number -> Draft.task().step(workflow, "" + number))
            .toArray(Draft[]::new));
  }

  static TaskId id(String step) {
    return Step.taskId(ORDER, step);
  }

  /** Takes the step that is next, which must be this one and the only one. */
  Claim claimStep(Claimer claimer, String step) {
    List<Claim> claims = claimAll(claimer, 10);
    assertThat(ids(claims)).containsExactly(id(step));
    return claims.getFirst();
  }

  /** Takes the step that is next, which must be this one, and ends it so. */
  void run(Claimer claimer, String step, Outcome outcome) {
    claimer.end(claimStep(claimer, step), outcome);
  }

  void finish(Claimer claimer, String... steps) {
    for (String step : steps) {
      run(claimer, step, FINISHED);
    }
  }

  /** Hands in and asks for the next in one exchange. */
  List<Claim> finishAndClaim(Claimer claimer, Claim claim) {
    return Claimer.done(claimer.exchange(List.of(new Ended(claim.lease(), FINISHED)), 10)).claims();
  }

  void nothingStarts(Claimer claimer) {
    store.sweep();
    for (int i = 0; i < 3; i++) {
      assertThat(claimer.claim(10)).isEmpty();
    }
  }

  Applied skip(String step) {
    return store.apply(new Command.SkipStep(ORDER, step));
  }

  Applied cancelWorkflow() {
    return store.apply(new Command.CancelWorkflow(ORDER, "not wanted"));
  }

  Applied retryWorkflow() {
    return store.apply(new Command.RetryWorkflow(ORDER));
  }

  WorkflowView workflow() {
    return reader.workflow(ORDER).orElseThrow(() -> new AssertionError("There is no workflow"));
  }

  State workflowState() {
    return workflow().state();
  }

  StepView step(String name) {
    return workflow().steps().stream()
        .filter(step -> step.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("There is no step " + name));
  }

  TaskState stepState(String name) {
    return step(name).state();
  }
}
