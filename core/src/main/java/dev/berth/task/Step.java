package dev.berth.task;

/**
 * A task's place in a workflow. Workflow and name together make the id of the task: to submit a
 * step again is a no-op.
 *
 * @param onFailure what becomes of the steps after this one if it fails for good
 */
public record Step(String workflow, String name, OnFailure onFailure) {

  public Step {
    Names.check("workflow", workflow);
    Names.check("step", name);
  }

  public TaskId taskId() {
    return taskId(workflow, name);
  }

  /** The id of the task of this step. No name holds a line break: no two steps share an id. */
  public static TaskId taskId(String workflow, String name) {
    return TaskId.named("workflow\n" + workflow, name);
  }
}
