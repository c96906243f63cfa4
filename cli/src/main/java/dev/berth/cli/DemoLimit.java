package dev.berth.cli;

import dev.berth.limit.LimitKey;
import java.util.HashMap;
import java.util.Map;

/**
 * How many handlers ran at once under a limit of the demo. Counted in the handlers: the demo does
 * not take the store's word for it.
 */
final class DemoLimit {

  private final LimitKey key;
  private final int slots;
  private final Map<String, Integer> running = new HashMap<>();
  private int peak;

  /** Counts a handler as running until it is closed. */
  @FunctionalInterface
  interface Running extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * @param key for a limit of many keys, that of their rule
   */
  DemoLimit(LimitKey key, int slots) {
    this.key = key;
    this.slots = slots;
  }

  LimitKey key() {
    return key;
  }

  int slots() {
    return slots;
  }

  /** The most that ever ran at once; of many keys, under the same one. */
  synchronized int peak() {
    return peak;
  }

  Running enter() {
    return enter("");
  }

  /** For one of many keys. */
  synchronized Running enter(String value) {
    peak = Math.max(peak, running.merge(value, 1, Integer::sum));
    return () -> leave(value);
  }

  private synchronized void leave(String value) {
    running.merge(value, -1, Integer::sum);
  }
}
