package dev.berth.task;

import java.time.Duration;
import java.time.Instant;

/** The earliest start of a task, by the clock of the store. */
public sealed interface Due {

  /** At once. */
  record Now() implements Due {}

  /** So long after the submit. */
  record After(Duration delay) implements Due {}

  /** At this instant; one in the past means at once. */
  record At(Instant instant) implements Due {}

  Due NOW = new Now();

  static Due after(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("A delay cannot be negative, but it was " + delay);
    }
    return delay.isZero() ? NOW : new After(delay);
  }

  static Due at(Instant instant) {
    return new At(instant);
  }
}
