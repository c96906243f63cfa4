package dev.berth.benchmarks;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them. */
final class Text {

  private Text() {}

  /** Two or three digits that matter, or whole thousands: 0.0042, 0.84, 3.1, 27, 17,400. */
  static String number(double value) {
    double size = Math.abs(value);
    String format =
        size == 0
            ? "%.0f"
            : size < 0.01 ? "%.4f" : size < 1 ? "%.2f" : size < 20 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, format, value);
  }

  /** Seconds up to two minutes, then minutes. */
  static String time(Duration time) {
    long seconds = Math.round(time.toMillis() / 1e3);
    return seconds < 120 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
  }

  static String percent(double part) {
    return Math.round(part * 100) + " %";
  }

  /** Round numbers in short: 500, 10k, 1m. */
  static String scaled(int count) {
    return count >= 1_000_000
        ? count / 1_000_000 + "m"
        : count >= 1_000 ? count / 1_000 + "k" : "" + count;
  }

  /** Without digits that mean nothing, for programs. */
  static double rounded(double value) {
    double scale = Math.abs(value) < 0.1 ? 100_000 : Math.abs(value) < 100 ? 1_000 : 10;
    return Math.round(value * scale) / scale;
  }
}
