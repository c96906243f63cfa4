package dev.berth.store;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is now.
 *
 * @param payload JSON
 * @param anchor from which a fixed rate is counted
 * @param nextAt the time of the next occurrence; null while it is paused, while no worker has found
 *     it so far, and where there is none because of an error
 * @param lastAt the time of the last occurrence
 * @param lastTask the task that was submitted last
 * @param submitted how many tasks were submitted
 * @param skipped how many occurrences were left out because an earlier task was not over
 * @param error why it does not run, or why the last occurrence was not submitted
 */
public record ScheduleView(
    String name,
    Timing timing,
    Missed missed,
    Overlap overlap,
    String type,
    String queue,
    String payload,
    boolean paused,
    Instant anchor,
    @Nullable Instant nextAt,
    @Nullable Instant lastAt,
    @Nullable TaskId lastTask,
    long submitted,
    long skipped,
    @Nullable String error) {

  /** The times of the next occurrences, as they will be if nothing is changed. */
  public List<Instant> upcoming(int count) {
    List<Instant> times = new ArrayList<>();
    for (Instant at = nextAt; at != null && times.size() < count; ) {
      times.add(at);
      at = timing.after(at, anchor);
    }
    return times;
  }
}
