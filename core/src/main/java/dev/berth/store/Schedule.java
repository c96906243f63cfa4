package dev.berth.store;

import dev.berth.limit.Lane;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Overlap;
import dev.berth.schedule.Timing;
import dev.berth.task.Names;
import dev.berth.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A task that is submitted again and again. Everything that is submitted is part of it, so that any
 * worker can do it, also one that does not know the type.
 *
 * <p>Two keys keep it in order, and they are not the same. The id of a task is made from the
 * schedule and the time of the occurrence: a repeat is a no-op. What overlaps is told by a key
 * without the time: a quota that knows the tasks which are alive, and a limit of one slot.
 *
 * @param each what is submitted; its id counts for nothing
 */
public record Schedule(
    String name, Timing timing, Missed missed, Overlap overlap, Submission each) {

  /** Metadata of each task: the name of its schedule. */
  public static final String NAME = "berth.schedule";

  /** Metadata of each task: the time of its occurrence. */
  public static final String OCCURRENCE = "berth.occurrence";

  /** So that two that say the same are equal. */
  private static final TaskId NO_ID = TaskId.of(new UUID(0, 0));

  public Schedule {
    Names.check("schedule", name);
    LimitKey.ofSchedule(name);
    each = with(each, NO_ID, each.metadata(), each.lane(), each.quotas());
    under(name, each); // what is too much with its own key is refused now, not when it is due
  }

  /** The id of the task of one occurrence. */
  public static TaskId taskOf(String name, Instant occurrence) {
    return TaskId.named("schedule\n" + name, occurrence.toString());
  }

  /** What is submitted, with the limit and the quota by which tasks do not overlap. */
  public Submission underItsKey() {
    return under(name, each);
  }

  private static Submission under(String name, Submission each) {
    LimitKey key = LimitKey.ofSchedule(name);
    Lane lane = each.lane().and(List.of(new Need(key, 1, 1)));
    List<Quota> quotas = new ArrayList<>(each.quotas());
    quotas.add(new Quota(key, Quota.MOST, WhenFull.REFUSE));
    return with(each, each.id(), each.metadata(), lane, quotas);
  }

  /** The submission of the task of one occurrence. */
  public Submission submission(TaskId id, Instant occurrence) {
    Submission full = underItsKey();
    Map<String, String> metadata = new LinkedHashMap<>(each.metadata());
    metadata.put(NAME, name);
    metadata.put(OCCURRENCE, occurrence.toString());
    return with(full, id, metadata, full.lane(), full.quotas());
  }

  private static Submission with(
      Submission of, TaskId id, Map<String, String> metadata, Lane lane, List<Quota> quotas) {
    return new Submission(
        id,
        true,
        of.type(),
        of.queue(),
        of.priority(),
        of.due(),
        of.payload(),
        metadata,
        lane,
        quotas,
        null);
  }
}
