package dev.berth.limit;

/**
 * A shared limit: at most so many slots in use at once by all tasks that are under it, whatever
 * their types, on all workers together.
 *
 * @param slots 0 blocks
 */
public record Limit(String name, int slots) {

  public Limit {
    Slots.check(name, slots);
    LimitKey.shared(name);
  }

  public static Limit of(String name, int slots) {
    return new Limit(name, slots);
  }

  public LimitKey key() {
    return LimitKey.shared(name);
  }
}
