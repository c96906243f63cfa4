package dev.berth.postgres;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * What a notification says: work that is ready, or that will be due later, in a queue.
 *
 * @param due whether it is for later
 * @param micros for ready work its position in the queue, in microseconds since 1970; for later
 *     work the time until it is due
 */
record Hint(boolean due, long micros, String queue) {

  static final String CHANNEL = "berth";

  /** Anything may have happened anywhere: hints were lost. */
  static final Hint ANYWHERE = new Hint(false, 0, "");

  boolean anywhere() {
    return queue.isEmpty();
  }

  Instant position() {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Reads {@code ready 1700000000000000 queue} and {@code due 5000000 queue}. */
  static Optional<Hint> parse(String payload) {
    String[] parts = payload.split(" ", 3);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Hint(parts[0].equals("due"), Long.parseLong(parts[1]), parts[2]));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  String payload() {
    return (due ? "due " : "ready ") + micros + " " + queue;
  }

  /** The hint that serves both: of the same kind and queue, the earlier one. */
  static Hint earlier(Hint one, Hint other) {
    return one.micros <= other.micros ? one : other;
  }
}
