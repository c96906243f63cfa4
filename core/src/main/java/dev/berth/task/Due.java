package dev.berth.task;

import java.time.Duration;
import java.time.Instant;

/** The earliest start of a task, by the clock of the store. */
public sealed interface Due {

  /** At once. */
  record Now() implements Due {}

  /** So long after the submit. */
  record After(Duration delay) implements Due {
    public After {
      if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "A delay can be zero to " + LONGEST.toDays() + " days, but it was " + delay);
      }
    }
  }

  /** At this instant; one in the past means at once. */
  record At(Instant instant) implements Due {
    public At {
      if (instant.isAfter(LATEST)) {
        throw new IllegalArgumentException(
            "A task can be due until " + LATEST + ", but not at " + instant);
      }
    }
  }

  Due NOW = new Now();

  /** The longest delay and the latest instant, which any store can hold. */
  Duration LONGEST = Duration.ofDays(365_000);

  Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  static Due after(Duration delay) {
    return delay.isZero() ? NOW : new After(delay);
  }

  static Due at(Instant instant) {
    return new At(instant);
  }
}
