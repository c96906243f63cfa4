package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.task.OnFailure;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AttemptView.Ending;
import dev.berth.view.WorkflowView.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Order holds while many claim at once, workers die and steps are appended. These proofs are short;
 * {@code -Dberth.workflows=200} and {@code -Dberth.append-races=10000} make them long.
 */
@Tag("race")
abstract class WorkflowRaceContract extends WorkflowTest {

  private static final int STEPS = 10;
  private static final int WORKFLOWS = Integer.getInteger("berth.workflows", 20);
  private static final int APPENDS = Integer.getInteger("berth.append-races", 200);

  /** So few that a session outlives them. */
  private static final int ROUND = 200;

  /** A run of a step, for the order of all runs of a workflow. */
  private record Run(int step, AttemptView attempt) {}

  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void stepsRunInOrderAndOneAtATimeWhileWorkersDie() throws Exception {
    List<List<TaskId>> workflows =
        IntStream.range(0, WORKFLOWS)
            .mapToObj(number -> submitSteps("order-" + number, STEPS))
            .toList();

    int killed = new MortalClaimers(fixture).finish(WORKFLOWS * STEPS);

    assertThat(killed).isPositive();
    workflows.forEach(this::checkOrder);
    assertThat(reader.workflows(Math.min(WORKFLOWS + 1, 10_000)))
        .hasSize(WORKFLOWS)
        .allMatch(workflow -> workflow.state() == State.FINISHED)
        .allMatch(workflow -> workflow.count(TaskState.FINISHED) == STEPS);
  }

  /** Each step finished once, after all runs of those before it, and no two ran at once. */
  private void checkOrder(List<TaskId> steps) {
    List<Run> runs =
        IntStream.range(0, steps.size())
            .boxed()
            .flatMap(step ->
                reader.attempts(steps.get(step)).stream().map(attempt -> new Run(step, attempt)))
            .sorted(Comparator.comparingLong(run -> run.attempt().token()))
            .toList();
    assertThat(runs).extracting(Run::step).isSorted();
    assertThat(runs.stream().filter(run -> run.attempt().ending() == Ending.FINISHED))
        .extracting(Run::step)
        .containsExactlyElementsOf(IntStream.range(0, steps.size()).boxed().toList());
    for (int i = 1; i < runs.size(); i++) {
      assertThat(runs.get(i).attempt().startedAt())
          .isAfterOrEqualTo(runs.get(i - 1).attempt().endedAt());
    }
  }

  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void aStepAppendedWhileTheLastOneEndsIsNotHeldForEver() throws Exception {
    for (int done = 0; done < APPENDS; done += ROUND) {
      raceAppends("order-" + done);
    }
  }

  private void raceAppends(String order) throws Exception {
    List<Claim> last = new ArrayList<>();
    Claimer claimer = claimer();
    for (int i = 0; i < ROUND; i++) {
      submit(Draft.task().step(order + "." + i, "first"));
      last.addAll(claimer.claim(1));
    }
    CyclicBarrier race = new CyclicBarrier(2);

    Together.run(
        2,
        number -> {
          for (int i = 0; i < ROUND; i++) {
            race.await();
            if (number == 0) {
              claimer.end(last.get(i), FINISHED);
            } else {
              submit(Draft.task().step(order + "." + i, "second"));
            }
          }
          return number;
        });

    List<Claim> second = claimAll(claimer, ROUND);
    assertThat(ids(second))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, ROUND)
                .mapToObj(i -> Step.taskId(order + "." + i, "second"))
                .toList());
    claimer.endAll(second, FINISHED);
    claimer.leave();
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void stepsThatManyAppendAtOnceAllRunOneAtATime() throws Exception {
    int many = 8;
    Together.run(
        many,
        number -> {
          for (int i = 0; i < 5; i++) {
            submit(Draft.task().step(ORDER, number + "." + i));
            submit(Draft.task().step(ORDER, "the same " + i));
          }
          return number;
        });

    store.sweep();
    assertThat(drain(claimer(), 10)).isOne();
    assertThat(workflow().count(TaskState.FINISHED)).isEqualTo(5 * many + 5);
  }

  /** Claims, ends, appends and a person's commands, all on three workflows at the same time. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void nothingIsHeldForEverWhateverIsDoneAtOnce() throws Exception {
    String[] names = {"a", "b", "c"};
    AtomicBoolean over = new AtomicBoolean();
    long seed = Seeds.random("whatever is done at once").nextLong();
    Together.run(
        6,
        number -> {
          Random random = new Random(seed + number);
          Claimer claimer = claimer();
          for (int i = 0; number < 3 ? i < 40 : !over.get(); i++) {
            String name = names[random.nextInt(names.length)];
            switch (number) {
              case 0, 1 ->
                  submit(
                      Draft.task().step(name, number + "." + i, any(random, OnFailure.values())));
              case 2 -> store.apply(anyCommand(random, name));
              default -> {
                List<Claim> claims = claimer.claim(1 + random.nextInt(3));
                claims.forEach(
                    claim -> claimer.end(claim, random.nextInt(4) == 0 ? FAILED : FINISHED));
              }
            }
            over.compareAndSet(false, number == 0 && i == 39);
          }
          return number;
        });

    for (int i = 0; i < 200 && Stream.of(names).anyMatch(this::lives); i++) {
      Stream.of(names).forEach(this::skipWhatHalts);
      store.sweep();
      assertThat(drain(claimer(), 10)).isLessThanOrEqualTo(names.length);
    }
    assertThat(names).noneMatch(this::lives);
    assertThat(reader.queues()).isEmpty();
  }

  private static Command anyCommand(Random random, String name) {
    String step = random.nextInt(2) + "." + random.nextInt(40);
    return switch (random.nextInt(10)) {
      case 0 -> new Command.CancelWorkflow(name, "not wanted");
      case 1, 2 -> new Command.RetryWorkflow(name);
      case 3, 4, 5 -> new Command.SkipStep(name, step);
      case 6, 7 -> new Command.Cancel(Step.taskId(name, step), "not wanted");
      default -> new Command.RetryTask(Step.taskId(name, step));
    };
  }

  private static <T> T any(Random random, T[] all) {
    return all[random.nextInt(all.length)];
  }

  private boolean lives(String workflow) {
    return reader.workflow(workflow).stream()
        .flatMap(view -> view.steps().stream())
        .anyMatch(step -> !step.state().ended());
  }

  private void skipWhatHalts(String workflow) {
    reader
        .workflow(workflow)
        .filter(view -> view.state() == State.HALTED)
        .ifPresent(view -> store.apply(new Command.SkipStep(workflow, "" + view.step())));
  }
}
