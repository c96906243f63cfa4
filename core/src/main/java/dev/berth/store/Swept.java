package dev.berth.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep did.
 *
 * @param promoted tasks whose due time came
 * @param sessionsExpired sessions found dead
 * @param tasksReturned tasks of theirs that may run again
 * @param nextDue how long until the next task or schedule is due, if any waits
 * @param schedules those that are due, to be advanced by whoever swept
 */
public record Swept(
    int promoted,
    int sessionsExpired,
    int tasksReturned,
    @Nullable Duration nextDue,
    List<DueSchedule> schedules) {

  public Swept {
    schedules = List.copyOf(schedules);
  }

  /** One that found no schedule due. */
  public Swept(int promoted, int sessionsExpired, int tasksReturned, @Nullable Duration nextDue) {
    this(promoted, sessionsExpired, tasksReturned, nextDue, List.of());
  }
}
