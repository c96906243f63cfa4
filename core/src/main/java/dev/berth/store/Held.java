package dev.berth.store;

/** The answer to a request for slots without a task. */
public sealed interface Held {

  /**
   * The slots are held until they are released or the session ends.
   *
   * @param token higher than that of any earlier holder of the same slots, also if that was a task
   */
  record Done(long token) implements Held {}

  /** There are not enough free slots, or the limit is paused or paced: ask again later. */
  record NoSlot() implements Held {}

  /** The session has expired, and all it held belongs to others. */
  record SessionLost() implements Held {}
}
