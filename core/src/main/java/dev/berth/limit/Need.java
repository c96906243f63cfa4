package dev.berth.limit;

/**
 * What a task needs of one limit to run.
 *
 * @param weight how many slots it takes
 * @param slots how many slots the limit shall have if the store does not know it yet
 */
public record Need(LimitKey key, int weight, int slots) {

  public Need {
    Slots.check(key.value(), slots);
    Slots.checkWeight(key.value(), weight);
  }
}
