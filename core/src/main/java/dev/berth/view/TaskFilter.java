package dev.berth.view;

import dev.berth.task.Names;
import dev.berth.task.TaskState;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which tasks to list; an empty set of states means all. */
public record TaskFilter(
    Set<TaskState> states, @Nullable String type, @Nullable String queue, int most) {

  public static final TaskFilter ALL = new TaskFilter(Set.of(), null, null, 100);

  public TaskFilter {
    states = Set.copyOf(states);
    if (type != null) {
      Names.check("task type", type);
    }
    if (queue != null) {
      Names.check("queue", queue);
    }
    if (most < 1 || most > 10_000) {
      throw new IllegalArgumentException("A list shows 1 to 10000 tasks, not " + most);
    }
  }

  public TaskFilter state(TaskState first, TaskState... more) {
    return new TaskFilter(EnumSet.of(first, more), type, queue, most);
  }

  public TaskFilter type(String name) {
    return new TaskFilter(states, name, queue, most);
  }

  public TaskFilter queue(String name) {
    return new TaskFilter(states, type, name, most);
  }

  public TaskFilter most(int count) {
    return new TaskFilter(states, type, queue, count);
  }

  public boolean wants(TaskState state) {
    return states.isEmpty() || states.contains(state);
  }
}
