package dev.berth.limit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a task needs of one limit to run.
 *
 * @param weight how many slots it takes
 * @param slots how many slots the limit shall have if the store does not know it yet
 * @param pace the least time between two starts, likewise; null for none
 */
public record Need(LimitKey key, int weight, int slots, @Nullable Duration pace) {

  public Need {
    Slots.check(key.value(), slots);
    Slots.checkWeight(key.value(), weight);
    Slots.checkPace(key.value(), pace);
  }

  public Need(LimitKey key, int weight, int slots) {
    this(key, weight, slots, null);
  }

  /** So many slots of a shared limit. */
  public static Need of(Limit limit, int weight) {
    return new Need(limit.key(), weight, limit.slots(), limit.pace());
  }
}
