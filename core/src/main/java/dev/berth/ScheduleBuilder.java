package dev.berth;

import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.store.Command;
import dev.berth.store.Schedule;
import dev.berth.store.Store;
import dev.berth.store.Submissions;
import dev.berth.task.Due;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskType;
import java.util.function.UnaryOperator;

/**
 * A schedule that has its times and is to be told what it submits. Immutable: each method but
 * {@code submits} returns a changed copy.
 */
public final class ScheduleBuilder {

  /** Where the schedule goes, and what encodes its payload. */
  record Target(Store store, Submissions submissions) {}

  private final String name;
  private final Timing timing;
  private final Missed missed;
  private final Overlap overlap;
  private final Target target;

  ScheduleBuilder(String name, Timing timing, Missed missed, Overlap overlap, Target target) {
    this.name = name;
    this.timing = timing;
    this.missed = missed;
    this.overlap = overlap;
    this.target = target;
  }

  /** What becomes of occurrences while no worker ran; {@link Missed#ONCE} if nothing is said. */
  public ScheduleBuilder missed(Missed choice) {
    return new ScheduleBuilder(name, timing, choice, overlap, target);
  }

  /**
   * What becomes of an occurrence while an earlier task is not over; {@link Overlap#SKIP} if
   * nothing is said.
   */
  public ScheduleBuilder overlap(Overlap choice) {
    return new ScheduleBuilder(name, timing, missed, choice, target);
  }

  /** Stores the schedule. From now on any worker submits these tasks, also of types it lacks. */
  public <P> void submits(TaskType<P, ?> type, P payload) {
    submits(type, payload, options -> options);
  }

  /** As above, with a queue, a priority, metadata or limits for each task. */
  public <P> void submits(TaskType<P, ?> type, P payload, UnaryOperator<SubmitOptions> options) {
    SubmitOptions said = options.apply(SubmitOptions.DEFAULT);
    if (said.ownId() || !said.due().equals(Due.NOW)) {
      throw new IllegalArgumentException(
          "Schedule "
              + name
              + ": its tasks have neither an id nor a due time of their own; both come from the"
              + " schedule");
    }
    Schedule schedule =
        new Schedule(name, timing, missed, overlap, target.submissions().of(type, payload, said));
    target.store().apply(new Command.SetSchedule(schedule));
  }
}
