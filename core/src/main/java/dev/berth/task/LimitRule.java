package dev.berth.task;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the code of a worker says of a limit.
 *
 * @param key its key, or the rule of many keys
 * @param weight how many slots each task of the type takes
 * @param pace the least time between two starts; null for none
 */
public record LimitRule(LimitKey key, int slots, int weight, @Nullable Duration pace) {
  public LimitRule {
    Slots.check(key.value(), slots);
    Slots.checkWeight(key.value(), weight);
  }

  public LimitRule(LimitKey key, int slots) {
    this(key, slots, null);
  }

  public LimitRule(LimitKey key, int slots, @Nullable Duration pace) {
    this(key, slots, 1, pace);
  }
}
