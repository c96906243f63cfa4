package dev.berth;

import dev.berth.store.StoreReader;
import dev.berth.store.TaskView;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Watches one task until it has ended, looking often at first and less often later. */
record Awaiting(StoreReader reader) {

  private static final long SHORTEST_MS = 5;
  private static final long LONGEST_MS = 200;

  TaskView ended(TaskId id, Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + longest.toNanos();
    long pause = SHORTEST_MS;
    while (true) {
      Optional<TaskView> task = reader.find(id);
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
}
