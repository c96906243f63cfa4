package dev.berth.limit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A shared limit: at most so many slots in use at once by all tasks that are under it, whatever
 * their types, on all workers together.
 *
 * @param slots 0 blocks
 * @param pace the least time between two starts under it; null for none
 */
public record Limit(String name, int slots, @Nullable Duration pace) {

  public Limit {
    Slots.check(name, slots);
    LimitKey.shared(name);
    Slots.checkPace(name, pace);
  }

  public static Limit of(String name, int slots) {
    return new Limit(name, slots, null);
  }

  /** The same limit with at least this time between two starts, on all workers together. */
  public Limit pace(Duration between) {
    return new Limit(name, slots, between);
  }

  public LimitKey key() {
    return LimitKey.shared(name);
  }
}
