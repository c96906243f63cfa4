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
 * @param inFile whether the number is not that of the code but stands in a file
 */
public record LimitRule(
    LimitKey key, int slots, int weight, @Nullable Duration pace, boolean inFile) {
  public LimitRule {
    Slots.check(key.value(), slots);
    Slots.checkWeight(key.value(), weight);
    Slots.checkPace(key.value(), pace);
  }

  public LimitRule(LimitKey key, int slots, int weight, @Nullable Duration pace) {
    this(key, slots, weight, pace, false);
  }

  public LimitRule(LimitKey key, int slots) {
    this(key, slots, null);
  }

  public LimitRule(LimitKey key, int slots, @Nullable Duration pace) {
    this(key, slots, 1, pace);
  }

  /** The same limit with a number that stands in a file. */
  public LimitRule inFile(int number) {
    return new LimitRule(key, number, weight, pace, true);
  }
}
