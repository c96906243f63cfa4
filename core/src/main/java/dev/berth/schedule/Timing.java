package dev.berth.schedule;

import java.time.Duration;
import java.time.Instant;

/**
 * When a schedule has its occurrences. It may come from SQL and be wrong: then {@link #after} and
 * {@link #check} say so.
 */
public sealed interface Timing {

  /**
   * By a Unix cron expression of five fields, in a time zone.
   *
   * @param zone such as {@code Europe/Berlin}
   */
  record Cron(String expression, String zone) implements Timing {

    @Override
    public Instant after(Instant time, Instant anchor) {
      return CronClock.of(this).after(time);
    }

    @Override
    public String toString() {
      return "cron \"" + expression + "\" in " + zone;
    }
  }

  /** At a fixed rate, counted from an anchor: the moment it was defined. */
  record Every(Duration period) implements Timing {

    public static final Duration SHORTEST = Duration.ofMillis(100);
    public static final Duration LONGEST = Duration.ofDays(36_500);

    @Override
    public Instant after(Instant time, Instant anchor) {
      if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "it cannot run every "
                + period
                + ": use a time from "
                + SHORTEST.toMillis()
                + " ms to "
                + LONGEST.toDays()
                + " days");
      }
      if (period.toNanosPart() % 1_000_000 != 0) {
        throw new IllegalArgumentException(
            "it cannot run every " + period + ": use whole milliseconds");
      }
      long passed = time.isBefore(anchor) ? 0 : Duration.between(anchor, time).dividedBy(period);
      return anchor.plus(period.multipliedBy(passed + 1));
    }

    @Override
    public String toString() {
      return "every " + period;
    }
  }

  /**
   * The first occurrence that is later than this time.
   *
   * @throws IllegalArgumentException if there is none; the message says why, and what to do
   */
  Instant after(Instant time, Instant anchor);

  /** Says what is wrong, with the name of the schedule, or nothing. */
  default void check(String schedule) {
    try {
      after(Instant.EPOCH, Instant.EPOCH);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("Schedule " + schedule + ": " + e.getMessage(), e);
    }
  }
}
