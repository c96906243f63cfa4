package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.store.Claim;
import dev.berth.store.SessionRequest.Handled;
import dev.berth.store.Submitted;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workflows: one step at a time, in order; steps are named and can be appended. */
abstract class WorkflowContract extends WorkflowTest {

  @Test
  void tenStepsRunInOrderOnThreeWorkers() {
    List<TaskId> steps = submitSteps(ORDER, 10);
    List<Claimer> workers = List.of(claimer(), claimer(), claimer());

    List<TaskId> started = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Claimer one = workers.get(i % 3);
      List<Claim> claims = claimAll(one, 10);
      assertThat(claims).hasSize(1);
      nothingStarts(workers.get((i + 1) % 3));
      nothingStarts(one);
      started.add(claims.getFirst().lease().task());
      one.end(claims.getFirst(), FINISHED);
    }

    assertThat(started).isEqualTo(steps);
    workers.forEach(this::nothingStarts);
  }

  @Test
  void theNextStepComesInTheExchangeThatEndsTheOneBefore() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();

    List<Claim> next = finishAndClaim(claimer, claimStep(claimer, "charge"));

    assertThat(ids(next)).containsExactly(id("pack"));
  }

  @Test
  void aHundredWorkflowsRunAtOnce() {
    List<TaskId> first = new ArrayList<>();
    List<TaskId> second = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      List<TaskId> steps = submitSteps("order-" + i, 2);
      first.add(steps.get(0));
      second.add(steps.get(1));
    }
    Claimer claimer = claimer();

    List<Claim> running = claimAll(claimer, 200);

    assertThat(ids(running)).containsExactlyInAnyOrderElementsOf(first);
    assertThat(ids(endAndClaim(claimer, running, 200))).containsExactlyInAnyOrderElementsOf(second);
  }

  @Test
  void aRetryingStepHoldsThoseAfterIt() {
    submitSteps("charge", "pack");
    Claimer claimer = claimer();
    run(claimer, "charge", retryIn(Duration.ofMinutes(1)));
    nothingStarts(claimer);
    assertThat(stepState("charge")).isEqualTo(TaskState.RETRYING);

    pass(Duration.ofMinutes(2));
    Claimer later = claimer();
    finish(later, "charge", "pack");
  }

  @Test
  void aStepWhoseWorkerDiedHoldsThoseAfterIt() {
    submitSteps("charge", "pack");
    claimStep(claimer(), "charge");

    pass(LEASE_OVER);

    finish(claimer(), "charge", "pack");
  }

  @Test
  void aReleasedStepHoldsThoseAfterIt() {
    submitSteps("charge", "pack");
    Claimer leaving = claimer();
    run(leaving, "charge", RELEASED);
    claimStep(leaving, "charge");
    leaving.leave();

    finish(claimer(), "charge", "pack");
  }

  @Test
  void aStepIsDueWhenItsTimeHasComeAndItIsNext() {
    submitAll(
        Draft.task().step(ORDER, "charge"),
        Draft.task().delay(Duration.ofMinutes(5)).step(ORDER, "pack"),
        Draft.task().delay(Duration.ofSeconds(1)).step(ORDER, "ship"));
    Claimer first = claimer();
    pass(Duration.ofSeconds(2));
    finish(first, "charge");
    nothingStarts(first);

    pass(Duration.ofMinutes(5));
    finish(claimer(), "pack", "ship");
  }

  @Test
  void aStepIsOneTaskHoweverOftenItIsSubmitted() {
    TaskId charge = submitSteps("charge", "pack").getFirst();
    assertThat(charge).isEqualTo(id("charge"));
    assertThat(submitEach("charge", "charge", "ship"))
        .containsExactly(
            new Submitted.Existing(id("charge")),
            new Submitted.Existing(id("charge")),
            new Submitted.Accepted(id("ship")));
    Claimer claimer = claimer();
    finish(claimer, "charge");

    assertThat(submitEach("charge")).containsExactly(new Submitted.Existing(charge));

    finish(claimer, "pack", "ship");
    assertThat(submitEach("ship")).containsExactly(new Submitted.Existing(id("ship")));
    nothingStarts(claimer);
    assertThat(workflow().size()).isEqualTo(3);
  }

  @Test
  void aStepThatRanIsKnownAlsoWhereNoHistoryIsKept() {
    Claimer claimer = forgetful();
    submitSteps("charge");
    finish(claimer, "charge");
    assertThat(reader.find(id("charge"))).isEmpty();

    assertThat(submitEach("charge", "pack"))
        .containsExactly(new Submitted.Existing(id("charge")), new Submitted.Accepted(id("pack")));
    finish(claimer, "pack");
  }

  @Test
  void aWorkflowIsForgottenWithItsHistory() {
    submitSteps("charge");
    finish(claimer(), "charge");

    pass(Duration.ofDays(6));
    assertThat(reader.workflow(ORDER)).isPresent();
    pass(Duration.ofDays(3));
    store.sweep();

    assertThat(reader.workflow(ORDER)).isEmpty();
    assertThat(submitEach("charge")).containsExactly(new Submitted.Accepted(id("charge")));
  }

  @Test
  void aWorkflowWithLiveStepsIsNotForgotten() {
    submitSteps("charge", "pack");
    Claimer claimer = forgetful();
    run(claimer, "charge", new Outcome.Finished("7"));

    pass(Duration.ofDays(60));
    store.sweep();

    assertThat(step("charge").result()).isEqualTo("7");
    finish(forgetful(), "pack");
  }

  @Test
  void stepsAreAppendedToAWorkflowThatRunsOrHasEnded() {
    submitSteps("charge");
    Claimer claimer = claimer();
    Claim charge = claimStep(claimer, "charge");
    submitSteps("pack");
    nothingStarts(claimer);
    claimer.end(charge, FINISHED);
    finish(claimer, "pack");

    submitSteps("ship", "bill");

    finish(claimer, "ship", "bill");
  }

  @Test
  void stepsOfManyWorkflowsInOneBatchKeepTheirOrder() {
    submitAll(
        Draft.task().step("a", "1"),
        Draft.task().step("b", "1"),
        Draft.task(),
        Draft.task().step("b", "2"),
        Draft.task().step("a", "2"));
    Claimer claimer = claimer();

    List<Claim> first = claimAll(claimer, 10);
    assertThat(first).hasSize(3);
    assertThat(endAndClaim(claimer, first, 10)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "line\nbreak"})
  void workflowsAndStepsHaveProperNames(String name) {
    assertThatThrownBy(() -> Draft.task().step(name, "charge")).matches(ContractTest::saysInvalid);
    assertThatThrownBy(() -> Draft.task().step(ORDER, name)).matches(ContractTest::saysInvalid);
  }

  @Test
  void namesMayLookLikeAnything() {
    String odd = "o'rder \\ \"42\" / {a,b} \u00e4\u20ac%";
    submitAll(
        Draft.task().step(odd, "'; --", OnFailure.CONTINUE), Draft.task().step(odd, "{null}"));
    Claimer claimer = claimer();

    claimer.end(claimer.claimOne(), FAILED);
    claimer.end(claimer.claimOne(), FINISHED);

    assertThat(reader.workflow(odd).orElseThrow().steps())
        .extracting(step -> step.name())
        .containsExactly("'; --", "{null}");
  }

  private List<Submitted> submitEach(String... names) {
    return store.submit(
        Stream.of(names).map(name -> Draft.task().step(ORDER, name).submission()).toList());
  }

  /** A worker whose types keep no history of what has finished. */
  Claimer forgetful() {
    return Claimer.open(store, "worker", List.of(new Handled(Draft.TYPE, Retention.days(0, 0), 5)));
  }
}
