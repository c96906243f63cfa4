package dev.berth.benchmarks;

import java.util.Locale;

/** Numbers as people read them. */
final class Text {

  private Text() {}

  /** Three digits that matter, or whole thousands: 0.84, 3.1, 27, 17,400. */
  static String number(double value) {
    double size = Math.abs(value);
    String format = size < 1 ? "%.2f" : size < 20 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, format, value);
  }

  static String percent(double part) {
    return Math.round(part * 100) + " %";
  }

  /** Without digits that mean nothing, for programs. */
  static double rounded(double value) {
    double scale = Math.abs(value) < 100 ? 1_000 : 10;
    return Math.round(value * scale) / scale;
  }
}
