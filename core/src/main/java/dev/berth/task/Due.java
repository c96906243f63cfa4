package dev.berth.task;

import dev.berth.value.Durations;
import java.time.Duration;
import java.time.Instant;

/** The earliest start of a task, by the clock of the store. */
public sealed interface Due {

  /** At once. */
  record Now() implements Due {}

  /** So long after the submit. */
  record After(Duration delay) implements Due {
    public After {
      Durations.check("The delay of a task", delay);
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

  /** The latest instant, which any store can hold. */
  Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  static Due after(Duration delay) {
    return delay.isZero() ? NOW : new After(delay);
  }

  static Due at(Instant instant) {
    return new At(instant);
  }
}
