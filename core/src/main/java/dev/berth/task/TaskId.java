package dev.berth.task;

import dev.berth.value.Texts;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The id of one task. A fresh id is a UUIDv7, so ids made later sort later; an id of your own makes
 * a submit idempotent for as long as the task or its history is kept.
 */
public record TaskId(UUID value) implements Comparable<TaskId> {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** The time of the last fresh id: milliseconds, then 12 bits that count within them. */
  private static final AtomicLong LAST = new AtomicLong();

  /** A fresh, time-ordered id; within one process each is higher than the one before. */
  public static TaskId next() {
    long now = System.currentTimeMillis() << 12;
    long time = LAST.updateAndGet(last -> Math.max(last + 1, now));
    long high = ((time >>> 12) << 16) | 0x7000L | (time & 0x0fffL);
    long low = (RANDOM.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
    return new TaskId(new UUID(high, low));
  }

  /**
   * The same id for the same type and text, for callers whose own keys are not UUIDs ("order-42").
   * Its first half is that of the text alone: the ids of all types stand in one range.
   */
  public static TaskId named(String type, String name) {
    Texts.check("The text of a task id", name);
    return new TaskId(
        new UUID(
            hash("berth:" + name).getMostSignificantBits(),
            hash("berth:" + type + "\n" + name).getLeastSignificantBits()));
  }

  private static UUID hash(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  public static TaskId of(UUID value) {
    return new TaskId(value);
  }

  /** Reads what {@link #toString()} writes. */
  public static TaskId parse(String text) {
    try {
      UUID value = UUID.fromString(text); // which also takes 2026-11-18-12-30
      if (value.toString().equalsIgnoreCase(text)) {
        return new TaskId(value);
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is not a task id: expected a UUID such as " + new UUID(0, 42));
  }

  @Override
  public int compareTo(TaskId other) {
    int high =
        Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(
            value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
