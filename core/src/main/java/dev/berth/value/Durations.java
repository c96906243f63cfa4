package dev.berth.value;

import java.time.Duration;

/** The rule for times that are stored: not negative, and not so long that a sum overflows. */
public final class Durations {

  /** A thousand years: any store can add it to any time. */
  public static final Duration LONGEST = Duration.ofDays(365_000);

  private Durations() {}

  /**
   * Returns the time, or says what is wrong with it.
   *
   * @param what begins the sentence, such as "The delay of a retry"
   */
  public static Duration check(String what, Duration time) {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what + " can be zero to " + LONGEST.toDays() + " days, not " + time);
    }
    return time;
  }

  /** The same for a time that zero makes no sense of. */
  public static Duration checkPositive(String what, Duration time) {
    if (!time.isPositive() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what
              + " must be longer than zero and at most "
              + LONGEST.toDays()
              + " days, not "
              + time);
    }
    return time;
  }
}
