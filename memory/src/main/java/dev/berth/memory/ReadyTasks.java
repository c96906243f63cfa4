package dev.berth.memory;

import dev.berth.task.Priorities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The tasks that may be claimed, in their order. Each queue, priority and type is a line of its
 * own, so that a claim never looks at a task it may not take.
 */
final class ReadyTasks {

  /** Tasks promoted by one sweep became ready together: the one due first comes first. */
  private static final Comparator<MemoryTask> ORDER =
      Comparator.comparing((MemoryTask task) -> task.readyAt)
          .thenComparing(MemoryTask::due)
          .thenComparing(MemoryTask::id);

  private record Line(String queue, int priority, String type) {
    static Line of(MemoryTask task) {
      return new Line(task.submission.queue(), task.submission.priority(), task.submission.type());
    }
  }

  private final Map<Line, TreeSet<MemoryTask>> lines = new HashMap<>();

  void add(MemoryTask task) {
    lines.computeIfAbsent(Line.of(task), line -> new TreeSet<>(ORDER)).add(task);
  }

  void remove(MemoryTask task) {
    lines.computeIfPresent(
        Line.of(task),
        (line, tasks) -> {
          tasks.remove(task);
          return tasks.isEmpty() ? null : tasks;
        });
  }

  /** Takes up to this many tasks of these types out of one queue, highest priority first. */
  List<MemoryTask> take(String queue, List<String> types, int most) {
    List<MemoryTask> taken = new ArrayList<>();
    for (int priority = Priorities.HIGHEST; priority >= Priorities.LOWEST; priority--) {
      while (taken.size() < most) {
        Optional<MemoryTask> first = first(queue, priority, types);
        if (first.isEmpty()) {
          break;
        }
        remove(first.get());
        taken.add(first.get());
      }
    }
    return taken;
  }

  private Optional<MemoryTask> first(String queue, int priority, List<String> types) {
    return types.stream()
        .map(type -> lines.get(new Line(queue, priority, type)))
        .filter(Objects::nonNull)
        .map(TreeSet::first)
        .min(ORDER);
  }
}
