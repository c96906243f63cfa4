package dev.berth.benchmarks;

import dev.berth.Berth;
import dev.berth.Workflow;
import dev.berth.postgres.PostgresStore;
import dev.berth.task.TaskType;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a claim of other work costs beside one workflow with a million steps that wait for their
 * turn, and beside a hundred thousand workflows; and what an exchange of steps costs.
 */
final class WorkflowsScenario implements Scenario {

  private static final Duration TIME = Duration.ofSeconds(10);

  /** Workflows of different rounds are different ones. */
  private static int round;

  private static final TaskType<NoOp, Void> OPEN = NoOp.TYPE;
  private static final TaskType<NoOp, Void> STEP = TaskType.of("step", NoOp.class);

  @Override
  public String name() {
    return "workflows";
  }

  @Override
  public String about() {
    return "The cost of a claim beside workflows with very many steps that wait, beside none.";
  }

  @Override
  public void run(Bench bench, Report report) throws Exception {
    int waiting = bench.size().of(1_000, 1_000_000, 1_000_000);
    int exchanges = bench.size().of(5, 30, 200);
    try (BenchDatabase alone = bench.server().database();
        BenchDatabase one = bench.server().database();
        BenchDatabase many = bench.server().database();
        PostgresStore aloneStore = alone.store();
        PostgresStore oneStore = one.store();
        PostgresStore manyStore = many.store()) {
      bench.say(
          "holding %,d steps in one workflow, and as many in workflows of ten".formatted(waiting));
      hold(one, waiting, waiting);
      hold(many, waiting, 10);
      Claimer none = new Claimer(aloneStore, List.of(OPEN));
      Claimer besideOne = new Claimer(oneStore, List.of(OPEN));
      Claimer besideMany = new Claimer(manyStore, List.of(OPEN));
      Claimer steps = new Claimer(aloneStore, List.of(STEP));
      Rounds rounds =
          new Rounds(bench)
              .variant("none", () -> none.claims(OPEN, exchanges))
              .variant("one workflow", () -> besideOne.claims(OPEN, exchanges))
              .variant("many workflows", () -> besideMany.claims(OPEN, exchanges))
              .variant("steps", () -> steps.claims(STEP, exchanges, WorkflowsScenario::submit))
              .warmUp()
              .run(bench.size().of(1, 2, 11), bench.size().of(1, 5, 11), TIME);
      report.ratio(
          "workflow_1m",
          rounds.ratio("one workflow", "none"),
          Target.atMost(1.2),
          "time to hand in and claim 50 beside one workflow of a million steps / beside none");
      report.ratio(
          "workflows_100k",
          rounds.ratio("many workflows", "none"),
          Target.atMost(1.2),
          "time to hand in and claim 50 beside a hundred thousand workflows of ten / beside none");
      report.figure("none_ms", "ms", rounds.samples("none"), "median of one exchange");
      report.figure("one_workflow_ms", "ms", rounds.samples("one workflow"), "");
      report.figure("many_workflows_ms", "ms", rounds.samples("many workflows"), "");
      report.figure(
          "steps_ms",
          "ms",
          rounds.samples("steps"),
          "hand in 50 steps and claim the 50 after them");
      report.fact("waiting", "%,d steps".formatted(waiting));
    }
  }

  /** Fifty workflows, so that each exchange ends a step of each. */
  private static void submit(Berth berth, int tasks) {
    round++;
    int length = tasks / Claimer.BATCH;
    for (int i = 0; i < Claimer.BATCH; i++) {
      Workflow workflow = berth.workflow("bench-" + round + "-" + i);
      for (int step = 0; step < length; step++) {
        workflow = workflow.then("" + step, STEP, NoOp.of(step));
      }
      workflow.submit();
    }
  }

  /** Of each workflow the first step runs and does not end: the others wait. */
  private static void hold(BenchDatabase database, int steps, int each)
      throws SQLException, IOException {
    database.execute(
        """
        insert into berth_private.task (
          id, position, due_at, submitted_at, state, type, queue, payload, workflow, step, step_number, on_failure)
        select berth_private.new_id(), c.now, c.now, c.now, 'running', 'step', 'default', '{}',
               'waiting-0', '0', nextval('berth_private.step_number'), 'halt'
          from berth_private.now() as c (now)
        """);
    Copies.add(
        database,
        first ->
            IntStream.range(1, steps)
                .mapToObj(n ->
                    first
                        .copy(n)
                        .with("state", n % each == 0 ? "running" : "held")
                        .with("workflow", "waiting-" + n / each)
                        .with("step", "" + n)
                        .with("step_number", "" + (n + 1))));
    database.execute("select setval('berth_private.step_number', %d)".formatted(steps));
  }
}
