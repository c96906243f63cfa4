package dev.berth.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers, times and counts as people read them. */
final class Text {

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
  private static final DateTimeFormatter EXACT_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

  private Text() {}

  /** Such as 5,000. */
  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Such as "1 task" or "5,000 tasks". */
  static String count(long number, String thing) {
    return count(number) + " " + thing + (number == 1 ? "" : "s");
  }

  /** Such as 8.2 ms or 1.4 s: two or three digits that matter. */
  static String duration(Duration duration) {
    double millis = duration.toNanos() / 1e6;
    if (millis < 100) {
      return decimal(millis) + " ms";
    }
    if (millis < 1_000) {
      return Math.round(millis) + " ms";
    }
    return decimal(millis / 1_000) + " s";
  }

  /** Such as 8.2 ms, 40 s, 5 min or 3 h: as exact as a guess is. */
  static String about(Duration duration) {
    if (duration.toSeconds() < 10) {
      return duration(duration);
    }
    if (duration.toMinutes() < 2) {
      return duration.toSeconds() + " s";
    }
    return duration.toHours() < 2 ? duration.toMinutes() + " min" : duration.toHours() + " h";
  }

  static String decimal(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  /** In the time zone of this machine; "-" where there is none. */
  static String time(@Nullable Instant instant) {
    return format(TIME, instant);
  }

  static String exactTime(@Nullable Instant instant) {
    return format(EXACT_TIME, instant);
  }

  private static String format(DateTimeFormatter format, @Nullable Instant instant) {
    return instant == null ? "-" : format.format(instant.atZone(ZoneId.systemDefault()));
  }
}
