package dev.berth.memory;

import dev.berth.limit.LimitKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * One run of a task, for audits. Starts and ends are numbered in the order in which they happened,
 * since any number of them may fall on one instant.
 */
final class MemoryRun {

  static final long RUNNING = Long.MAX_VALUE;

  final long started;
  final Instant startedAt;

  /** The numbers in force at the start, of the limits it was under. */
  final Map<LimitKey, OptionalInt> slots;

  /** When it came under further limits, whose numbers are not held against it. */
  private final Map<LimitKey, Long> joined = new HashMap<>();

  long ended = RUNNING;
  Instant endedAt = Instant.MAX;

  MemoryRun(long started, Instant startedAt, Map<LimitKey, OptionalInt> slots) {
    this.started = started;
    this.startedAt = startedAt;
    this.slots = slots;
  }

  void join(LimitKey key, long number) {
    joined.put(key, number);
  }

  boolean wasUnder(LimitKey key) {
    return slots.containsKey(key) || joined.containsKey(key);
  }

  /** When it began to count for this limit. */
  long countsFrom(LimitKey key) {
    return joined.getOrDefault(key, started);
  }

  boolean hasEnded() {
    return ended != RUNNING;
  }

  Instant endedAt() {
    return endedAt;
  }

  Duration lasted() {
    return Duration.between(startedAt, endedAt);
  }

  void end(long number, Instant now) {
    ended = number;
    endedAt = now;
  }
}
