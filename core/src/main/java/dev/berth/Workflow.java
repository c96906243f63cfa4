package dev.berth;

import dev.berth.store.QuotaFullException;
import dev.berth.store.Submission;
import dev.berth.store.Submissions;
import dev.berth.store.Submitted;
import dev.berth.store.Submitter;
import dev.berth.task.Names;
import dev.berth.task.OnFailure;
import dev.berth.task.Step;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Steps for a workflow, which run one after another. Immutable: each method returns a changed copy.
 * To append to a workflow is to submit further steps under its name.
 *
 * <pre>{@code
 * berth.workflow("order-42").then("charge", charge, order).then("pack", pack, order).submit();
 * }</pre>
 */
public final class Workflow {

  private final Submitter submitter;
  private final Submissions submissions;
  private final String name;
  private final OnFailure onFailure;
  private final List<Submission> steps;

  Workflow(Submitter submitter, Submissions submissions, String name) {
    this(submitter, submissions, Names.check("workflow", name), OnFailure.HALT, List.of());
  }

  private Workflow(
      Submitter submitter,
      Submissions submissions,
      String name,
      OnFailure onFailure,
      List<Submission> steps) {
    this.submitter = submitter;
    this.submissions = submissions;
    this.name = name;
    this.onFailure = onFailure;
    this.steps = List.copyOf(steps);
  }

  /**
   * What becomes of the steps behind one of the steps that are named from here on, if it fails for
   * good or is cancelled: {@link OnFailure#HALT} where nothing is said.
   */
  public Workflow onFailure(OnFailure then) {
    return new Workflow(submitter, submissions, name, then, steps);
  }

  /** One step more, which runs when all before it have ended. */
  public <P> Workflow then(String step, TaskType<P, ?> type, P payload) {
    return then(step, type, payload, options -> options);
  }

  /** As above; a step has no id of its own, its name makes it. */
  public <P> Workflow then(
      String step, TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options) {
    SubmitOptions said = options.apply(SubmitOptions.DEFAULT);
    if (said.ownId()) {
      throw new IllegalArgumentException(
          "Step \"%s\" of workflow \"%s\" cannot have an id of its own: its name makes it"
              .formatted(step, name));
    }
    List<Submission> more = new ArrayList<>(steps);
    more.add(submissions.of(type, payload, said).as(new Step(name, step, onFailure)));
    return new Workflow(submitter, submissions, name, onFailure, more);
  }

  /**
   * Makes the steps durable, behind those that are there. A step that is there already, or has run,
   * stays as it is.
   *
   * @return the tasks of the steps, in their order, whether they are new or not
   * @throws QuotaFullException if a quota refused a step: it and those after it are not there,
   *     those before it are. A repeat appends what is missing
   */
  public List<TaskId> submit() {
    if (steps.isEmpty()) {
      throw new IllegalStateException(
          "Workflow \"%s\" has nothing to submit: name a step with then(…)".formatted(name));
    }
    List<TaskId> tasks = new ArrayList<>();
    for (Submitted submitted : submitter.submit(steps)) {
      if (submitted instanceof Submitted.QuotaFull full) {
        throw new QuotaFullException(
            full,
            "%d of %d steps of workflow %s were not submitted"
                .formatted(steps.size() - tasks.size(), steps.size(), name));
      }
      tasks.add(submitted.id());
    }
    return tasks;
  }
}
