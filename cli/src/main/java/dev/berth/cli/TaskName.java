package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.task.TaskId;
import dev.berth.view.TaskView;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;

/** How a person names a task: its id, or the text that the id was made from. */
record TaskName(String text) {

  static final String DESCRIPTION =
      "The task: its id, or the text it was submitted under, such as order-42.";

  /** Whether this task was found by its text. */
  boolean isTextOf(TaskView found) {
    return !id().equals(Optional.of(found.id()));
  }

  /** The task of this id, or those of this text, of all types; at least one. */
  List<TaskView> all(Berth berth) {
    List<TaskView> tasks =
        id().flatMap(berth::find).map(List::of).orElseGet(() -> berth.find(text));
    if (tasks.isEmpty()) {
      throw id().map(TaskCommand::unknown)
          .orElseGet(() ->
              new CommandFailedException(
                  "There is no task \"%s\": that is neither a task id, such as 00000000-0000-0000-0000-00000000002a, nor the text of a task that is known."
                      .formatted(text)));
    }
    return tasks;
  }

  /** The one task that is meant. */
  TaskId one(Berth berth) {
    List<TaskView> tasks = all(berth);
    if (tasks.size() > 1) {
      throw new CommandFailedException(
          "Tasks of several types are named \"%s\": name one by its id. %s"
              .formatted(
                  text,
                  tasks.stream()
                      .map(task -> task.type() + " is " + task.id())
                      .collect(Collectors.joining(", ", "", "."))));
    }
    return tasks.getFirst().id();
  }

  /** Any text may name one. */
  static final class Reader implements ITypeConverter<TaskName> {
    @Override
    public TaskName convert(String text) {
      return new TaskName(text);
    }
  }

  private Optional<TaskId> id() {
    try {
      return Optional.of(TaskId.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
