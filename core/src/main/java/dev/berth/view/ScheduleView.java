package dev.berth.view;

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
 * @param nextAt the time of the next occurrence; null while it is paused, while no worker has found
 *     it so far, and where there is none because of an error
 * @param error why it does not run, or why the last occurrence was not submitted
 */
public record ScheduleView(
    String name,
    When when,
    Each each,
    boolean paused,
    @Nullable Instant nextAt,
    Past past,
    @Nullable String error) {

  /**
   * When there are occurrences, and what becomes of those that cannot be as they should.
   *
   * @param anchor from which a fixed rate is counted
   */
  public record When(Timing timing, Instant anchor, Missed missed, Overlap overlap) {}

  /**
   * What is submitted for each occurrence.
   *
   * @param payload JSON
   */
  public record Each(String type, String queue, String payload) {}

  /**
   * What was so far.
   *
   * @param lastAt the time of the last occurrence
   * @param lastTask the task that was submitted last
   * @param submitted how many tasks were submitted
   * @param skipped how many occurrences were left out because an earlier task was not over
   */
  public record Past(
      @Nullable Instant lastAt, @Nullable TaskId lastTask, long submitted, long skipped) {}

  /** The times of the next occurrences, as they will be if nothing is changed. */
  public List<Instant> upcoming(int count) {
    List<Instant> times = new ArrayList<>();
    for (Instant at = nextAt; at != null && times.size() < count; ) {
      times.add(at);
      at = when.timing().after(at, when.anchor());
    }
    return times;
  }
}
