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
    if (weight < 1) {
      throw new IllegalArgumentException(
          "A task takes at least 1 slot of " + key + ", not " + weight);
    }
  }
}
