package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.store.Applied;
import dev.berth.task.Names;
import dev.berth.task.Step;
import dev.berth.view.StepView;
import dev.berth.view.WorkflowView;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Looks at workflows, and decides what becomes of one that does not go on. */
@Command(
    name = "workflow",
    description = "Show workflows; retry, skip and cancel their steps.",
    footer = "One that is named like a command is shown by 'berth workflow -- NAME'.")
final class WorkflowCommand implements Runnable {

  private static final String NAME = "The workflow.";
  private static final int MOST = 100;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description =
          "The workflow; without it, the first " + MOST + ", those that are halted first.")
  private @Nullable String name;

  @Mixin private StoreOptions store;

  @Mixin private Output output;

  @Override
  public void run() {
    check(name, null);
    try (Berth berth = store.open()) {
      if (name == null) {
        List<WorkflowView> workflows = berth.reader().workflows(MOST);
        output.answer(
            workflows.stream().map(WorkflowText::json).map(Json.Fields::map).toList(),
            out -> WorkflowText.print(workflows, out));
        return;
      }
      WorkflowView workflow = find(berth, name);
      output.answer(
          WorkflowText.withSteps(workflow).map(), out -> WorkflowText.print(workflow, out));
    }
  }

  @Command(
      description = {
        "Let a workflow go on as if a step were not there.",
        "Without a step, the one that halted it. A running step is asked to stop."
      })
  void skip(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "STEP", arity = "0..1", description = "The step.")
          @Nullable String step,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    check(name, step);
    try (Berth berth = store.open()) {
      String meant = step == null ? halting(berth, name) : step;
      Applied applied = berth.workflows().skip(name, meant);
      StepView found = find(berth, name, meant);
      if (applied == Applied.UNCHANGED) {
        throw new CommandFailedException(
            "Step %s of workflow %s %s."
                .formatted(
                    meant, name, found.skipped() ? "was already skipped" : "has finished already"));
      }
      answer(
          output,
          berth,
          name,
          applied,
          applied == Applied.REQUESTED
              ? "Step %s is running; its handler was asked to stop.".formatted(meant)
              : "Step %s is skipped.".formatted(meant));
    }
  }

  @Command(
      description = {
        "Cancel all steps of a workflow that have not ended.",
        "Steps that are appended later are cancelled too, until a step is retried."
      })
  void cancel(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin Reason reason,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    check(name, null);
    try (Berth berth = store.open()) {
      Applied applied = berth.workflows().cancel(name, reason.text);
      WorkflowView workflow = find(berth, name);
      if (applied == Applied.UNCHANGED) {
        throw new CommandFailedException(
            "All steps of workflow %s have ended (%s).".formatted(name, lower(workflow.state())));
      }
      answer(
          output,
          berth,
          name,
          applied,
          applied == Applied.REQUESTED
              ? "Workflow %s is cancelled; the handler of its running step was asked to stop."
                  .formatted(name)
              : "Workflow %s is cancelled.".formatted(name));
    }
  }

  @Command(
      description = {
        "Retry a step, or the whole workflow.",
        "Without a step: the one that holds the others, and those that were cancelled."
      })
  void retry(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "STEP", arity = "0..1", description = "The step.")
          @Nullable String step,
      @Mixin StoreOptions store,
      @Mixin Output output) {
    check(name, step);
    try (Berth berth = store.open()) {
      find(berth, name); // or says that there is none
      Applied applied =
          step == null
              ? berth.workflows().retry(name)
              : berth.retry(Step.taskId(name, find(berth, name, step).name()));
      String what = step == null ? "Workflow " + name : "Step " + step + " of workflow " + name;
      switch (applied) {
        case QUOTA_FULL ->
            throw new CommandFailedException(
                what
                    + " was not retried: a quota is full. Retry it when a task under it has"
                    + " ended.");
        case NOT_FOUND ->
            throw new CommandFailedException(
                what + " cannot be retried: its history was not kept.");
        case UNCHANGED ->
            throw new CommandFailedException(
                what + " has nothing to retry: nothing has failed or was cancelled.");
        case DONE, REQUESTED -> answer(output, berth, name, applied, "%s goes on.".formatted(what));
      }
    }
  }

  /** Says what is wrong before anybody is asked. */
  private static void check(@Nullable String workflow, @Nullable String step) {
    if (workflow != null) {
      Names.check("workflow", workflow);
    }
    if (step != null) {
      Names.check("step", step);
    }
  }

  private static void answer(
      Output output, Berth berth, String name, Applied applied, String sentence) {
    output.answer(
        WorkflowText.json(find(berth, name)).put("applied", applied.name()).map(),
        out -> out.println(sentence));
  }

  private static WorkflowView find(Berth berth, String name) {
    return berth
        .reader()
        .workflow(name)
        .orElseThrow(() ->
            new CommandFailedException(
                "There is no workflow %s: it was never submitted, or has ended and is forgotten."
                    .formatted(name)));
  }

  private static StepView find(Berth berth, String name, String step) {
    return find(berth, name).steps().stream()
        .filter(each -> each.name().equals(step))
        .findFirst()
        .orElseThrow(() ->
            new CommandFailedException(
                "Workflow %s has no step %s; 'berth workflow %s' shows them."
                    .formatted(name, step, name)));
  }

  private static String halting(Berth berth, String name) {
    WorkflowView workflow = find(berth, name);
    if (workflow.state() != WorkflowView.State.HALTED || workflow.step() == null) {
      throw new CommandFailedException(
          "Workflow %s is %s, not halted: name the step to skip."
              .formatted(name, lower(workflow.state())));
    }
    return workflow.step();
  }

  private static String lower(WorkflowView.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
