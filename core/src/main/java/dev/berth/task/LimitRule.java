package dev.berth.task;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the code of a worker says of a limit.
 *
 * @param key its key, or the rule of many keys
 * @param pace the least time between two starts; null for none
 */
public record LimitRule(LimitKey key, int slots, @Nullable Duration pace) {
  public LimitRule {
    Slots.check(key.value(), slots);
  }

  public LimitRule(LimitKey key, int slots) {
    this(key, slots, null);
  }
}
