package dev.berth.task;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Slots;

/** What the code of a worker says of a limit: its key, or the rule of many keys, and its number. */
public record LimitRule(LimitKey key, int slots) {
  public LimitRule {
    Slots.check(key.value(), slots);
  }
}
