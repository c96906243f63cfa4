package dev.berth;

import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.StoreReader;
import dev.berth.view.TaskView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Watches one task until it has ended, looking often at first and less often later. */
record Awaiting(StoreReader reader) {

  private static final long SHORTEST_MS = 5;
  private static final long LONGEST_MS = 200;

  TaskView ended(TaskType<?, ?> type, TaskId id, Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + Math.max(0, TimeUnit.NANOSECONDS.convert(longest));
    long pause = SHORTEST_MS;
    while (true) {
      Optional<TaskView> task = reader.find(id);
      task.ifPresent(found -> checkType(type, found));
      if (task.isPresent() && task.get().state().ended()) {
        return task.get();
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AwaitTimeoutException(id, longest, task);
      }
      TimeUnit.MILLISECONDS.sleep(Math.min(pause, left));
      pause = Math.min(LONGEST_MS, pause + pause / 2);
    }
  }

  /** What another type returns would be read as a result of this one. */
  private static void checkType(TaskType<?, ?> type, TaskView task) {
    if (!task.type().equals(type.name())) {
      throw new IllegalArgumentException(
          "Task %s is of type %s, not %s".formatted(task.id(), task.type(), type.name()));
    }
  }
}
