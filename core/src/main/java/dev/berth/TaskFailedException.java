package dev.berth;

import dev.berth.view.TaskView;

/** The awaited task failed for good or was cancelled. */
public final class TaskFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient TaskView task;

  TaskFailedException(TaskView task) {
    super(
        "Task "
            + task.id()
            + " ("
            + task.type()
            + ") "
            + task.state().name().toLowerCase()
            + (task.error() == null ? "" : ": " + task.error()));
    this.task = task;
  }

  public TaskView task() {
    return task;
  }
}
