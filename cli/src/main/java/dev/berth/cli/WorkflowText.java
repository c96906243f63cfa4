package dev.berth.cli;

import dev.berth.task.TaskState;
import dev.berth.view.StepView;
import dev.berth.view.WorkflowView;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Workflows and their steps, for people and for programs. */
final class WorkflowText {

  private WorkflowText() {}

  static Json.Fields json(WorkflowView workflow) {
    Map<String, Object> counts = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      counts.put(state.name().toLowerCase(Locale.ROOT), workflow.count(state));
    }
    return Json.object()
        .put("workflow", workflow.name())
        .put("state", workflow.state().name())
        .put("step", workflow.step())
        .put("steps", workflow.size())
        .put("counts", counts);
  }

  static Json.Fields withSteps(WorkflowView workflow) {
    return json(workflow).put("shown", workflow.steps().stream().map(WorkflowText::json).toList());
  }

  private static Object json(StepView step) {
    return Json.object()
        .put("step", step.name())
        .put("task", step.task().toString())
        .put("type", step.type())
        .put("state", step.state().name())
        .put("skipped", step.skipped())
        .put("ended_at", step.endedAt() == null ? null : step.endedAt().toString())
        .put("result", Json.embedded(step.result()))
        .put("error", step.error())
        .map();
  }

  static void print(List<WorkflowView> workflows, PrintWriter out) {
    if (workflows.isEmpty()) {
      out.println("There are no workflows.");
      return;
    }
    Table table =
        new Table().text("WORKFLOW").text("STATE").text("STEP").number("ENDED").number("STEPS");
    for (WorkflowView workflow : workflows) {
      table.row(
          workflow.name(),
          workflow.state(),
          Objects.requireNonNullElse(workflow.step(), "-"),
          Text.count(ended(workflow)),
          Text.count(workflow.size()));
    }
    table.print(out);
  }

  static void print(WorkflowView workflow, PrintWriter out) {
    out.println(sentence(workflow));
    out.println();
    Table table =
        new Table()
            .text("STEP")
            .text("TYPE")
            .text("STATE")
            .text("ENDED")
            .text("TASK")
            .text("ERROR");
    for (StepView step : workflow.steps()) {
      table.row(
          step.name(),
          step.type(),
          step.state() + (step.skipped() ? " (skipped)" : ""),
          Text.time(step.endedAt()),
          step.task(),
          Objects.requireNonNullElse(step.error(), "").lines().findFirst().orElse(""));
    }
    table.print(out);
    if (workflow.steps().size() < workflow.size()) {
      out.printf("… of %s.%n", Text.count(workflow.size(), "step"));
    }
    if (workflow.state() == WorkflowView.State.HALTED) {
      out.println();
      out.printf(
          "berth workflow retry %s: let it go on from step %s; skip: without it; cancel: not at"
              + " all.%n",
          workflow.name(), workflow.step());
    }
  }

  private static String sentence(WorkflowView workflow) {
    String subject =
        "Workflow %s, %d of %s ended,"
            .formatted(workflow.name(), ended(workflow), Text.count(workflow.size(), "step"));
    return subject
        + switch (workflow.state()) {
          case RUNNING -> " is at step " + workflow.step() + ".";
          case HALTED -> " is halted by step " + workflow.step() + ".";
          case FINISHED -> " is finished.";
          case FAILED -> " has failed with step " + workflow.step() + "; the rest is cancelled.";
          case CANCELLED -> " is cancelled.";
        };
  }

  private static long ended(WorkflowView workflow) {
    return workflow.count(TaskState.FINISHED)
        + workflow.count(TaskState.FAILED)
        + workflow.count(TaskState.CANCELLED);
  }
}
