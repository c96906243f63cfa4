package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.groups.Tuple.tuple;

import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.OnFailure;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.Explanation;
import dev.berth.view.Obstacle;
import dev.berth.view.Obstacle.HeldByWorkflow;
import dev.berth.view.QueueView;
import dev.berth.view.StepView;
import dev.berth.view.TaskFilter;
import dev.berth.view.TaskView;
import dev.berth.view.WorkflowView;
import dev.berth.view.WorkflowView.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be seen of a workflow: as a whole, step by step, and why a step does not run. */
abstract class WorkflowReadContract extends WorkflowTest {

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 10_001, Integer.MAX_VALUE})
  void aListOfNoSizeIsRefusedWithASentence(int most) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reader.workflows(most))
        .withMessage("A list shows 1 to 10000 workflows, not " + most);
  }

  @Test
  void aWorkflowIsSeenAsAWhole() {
    submitSteps(OnFailure.CONTINUE, "charge", "pack", "ship", "bill");
    assertThat(workflow())
        .isEqualTo(
            new WorkflowView(
                ORDER, State.RUNNING, "charge", Map.of(TaskState.PENDING, 4L), workflow().steps()));
    Claimer claimer = claimer();
    run(claimer, "charge", new Outcome.Finished("\"receipt\""));
    run(claimer, "pack", FAILED);
    claimStep(claimer, "ship");

    assertThat(workflow().step()).isEqualTo("ship");
    assertThat(workflow().size()).isEqualTo(4);
    assertThat(workflow().counts())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                TaskState.FINISHED, 1L,
                TaskState.FAILED, 1L,
                TaskState.RUNNING, 1L,
                TaskState.PENDING, 1L));
    assertThat(workflow().steps())
        .extracting(StepView::name, StepView::task, StepView::state)
        .containsExactly(
            tuple("charge", id("charge"), TaskState.FINISHED),
            tuple("pack", id("pack"), TaskState.FAILED),
            tuple("ship", id("ship"), TaskState.RUNNING),
            tuple("bill", id("bill"), TaskState.PENDING));
    assertThat(step("charge").result()).isEqualTo("\"receipt\"");
    assertThat(step("charge").endedAt()).isNotNull();
    assertThat(step("pack").error()).isEqualTo("no such address");
    assertThat(step("ship").endedAt()).isNull();
    assertThat(step("ship").type()).isEqualTo(Draft.TYPE);
  }

  @Test
  void workflowsAreListedTheHaltedOnesFirst() {
    assertThat(reader.workflows(10)).isEmpty();
    submitSteps("a", 1);
    submitSteps("b", 2);
    submitSteps("c", 1);
    Claimer claimer = claimer();
    claimer.claim(10).stream()
        .filter(claim -> claim.lease().task().equals(Step.taskId("b", "1")))
        .forEach(claim -> claimer.end(claim, FAILED));

    assertThat(reader.workflows(10))
        .extracting(WorkflowView::name, WorkflowView::state)
        .containsExactly(
            tuple("b", State.HALTED), tuple("a", State.RUNNING), tuple("c", State.RUNNING));
    assertThat(reader.workflows(1)).extracting(WorkflowView::name).containsExactly("b");
    assertThat(reader.workflows(10)).allMatch(workflow -> workflow.steps().isEmpty());
  }

  @Test
  void ofALongWorkflowTheStepsAroundTheCurrentOneAreShown() {
    int many = WorkflowView.MOST + 20;
    submitSteps(ORDER, many);

    assertThat(workflow().size()).isEqualTo(many);
    assertThat(workflow().steps())
        .hasSize(WorkflowView.MOST)
        .first()
        .extracting(StepView::name)
        .isEqualTo("1");
  }

  @Test
  void aTaskSaysWhichStepItIs() {
    submitSteps("charge", "pack");
    TaskId alone = submitOne();

    TaskView.StepName pack = new TaskView.StepName(ORDER, "pack");
    assertThat(view(id("pack")).input().step()).isEqualTo(pack);
    assertThat(view(alone).input().step()).isNull();
    cancel(id("pack"));
    assertThat(view(id("pack")).input().step()).isEqualTo(pack);
    assertThat(reader.list(TaskFilter.ALL)).hasSize(3);
  }

  @Test
  void heldStepsAreCountedAsWaiting() {
    submitSteps("charge", "pack", "ship");

    assertThat(reader.queues()).containsExactly(new QueueView("default", false, 2, 1, 0));
  }

  @Test
  void aStepReadsTheResultsOfThoseBeforeIt() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();
    run(claimer, "charge", new Outcome.Finished("{\"reference\":7}"));
    claimStep(claimer, "pack");

    assertThat(reader.step(id("pack"), "charge"))
        .get()
        .extracting(StepView::result, StepView::state)
        .containsExactly("{\"reference\":7}", TaskState.FINISHED);
    assertThat(reader.step(id("pack"), "ship").orElseThrow().state()).isEqualTo(TaskState.PENDING);
    assertThat(reader.step(id("pack"), "nothing")).isEmpty();
    assertThat(reader.step(submitOne(), "charge")).isEmpty();
  }

  @Test
  void resultsOutliveTheHistoryOfTheirTypeWhileTheWorkflowLives() {
    List<Handled> none = List.of(new Handled(Draft.TYPE, Retention.NONE, 5));
    submitSteps("charge", "pack");
    run(Claimer.open(store, "worker", none), "charge", new Outcome.Finished("7"));

    pass(Duration.ofDays(40));

    claimStep(Claimer.open(store, "worker", none), "pack");
    assertThat(reader.step(id("pack"), "charge").orElseThrow().result()).isEqualTo("7");
  }

  @Test
  void aHeldStepSaysForWhichItWaits() {
    submitSteps("charge", "pack", "ship");
    Claimer claimer = claimer();

    assertThat(obstacles("charge")).isEmpty();
    assertThat(obstacles("pack")).containsExactly(new HeldByWorkflow(ORDER, "charge", false));
    assertThat(waiting("pack").line()).isNull();
    finish(claimer, "charge");
    assertThat(obstacles("pack")).isEmpty();
    assertThat(obstacles("ship")).containsExactly(new HeldByWorkflow(ORDER, "pack", false));
    run(claimer, "pack", FAILED);
    assertThat(obstacles("ship")).containsExactly(new HeldByWorkflow(ORDER, "pack", true));
    assertThat(waiting("ship").obstacles()).noneMatch(Obstacle::passes);
  }

  @Test
  void everythingElseInTheWayOfAHeldStepIsSaidToo() {
    submitAll(Draft.task().step(ORDER, "charge"), Draft.task().type("print").step(ORDER, "pack"));
    claimer();

    assertThat(obstacles("pack"))
        .containsExactly(
            new HeldByWorkflow(ORDER, "charge", false), new Obstacle.NoWorker("print", "default"));
  }

  private Explanation.Waiting waiting(String step) {
    return (Explanation.Waiting) reader.explain(id(step)).orElseThrow();
  }

  private List<Obstacle> obstacles(String step) {
    return waiting(step).obstacles();
  }
}
