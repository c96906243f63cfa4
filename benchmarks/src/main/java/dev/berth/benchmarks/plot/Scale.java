package dev.berth.benchmarks.plot;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * An axis from zero to a round number, with marks at round numbers.
 *
 * @param step from mark to mark
 */
record Scale(double step, int marks) {

  private static final int MOST_MARKS = 5;

  /** One that the value fits on. */
  static Scale upTo(double value) {
    if (value <= 0) {
      return new Scale(1, 1);
    }
    double rough = value / MOST_MARKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double step =
        IntStream.of(1, 2, 5, 10)
            .mapToDouble(digit -> digit * power)
            .filter(candidate -> candidate >= rough * (1 - 1e-9))
            .findFirst()
            .orElse(10 * power);
    return new Scale(step, (int) Math.ceil(value / step - 1e-9));
  }

  double max() {
    return step * marks;
  }

  List<Double> values() {
    return IntStream.rangeClosed(0, marks).mapToObj(mark -> mark * step).toList();
  }

  /** With as many digits as the steps need. */
  String label(double value) {
    return text(value, digits());
  }

  /** With one digit more than the marks, unless those are large. */
  String exactly(double value) {
    return text(value, step >= 10 ? 0 : digits() + 1);
  }

  private int digits() {
    return Math.max(0, (int) -Math.floor(Math.log10(step) + 1e-9));
  }

  private static String text(double value, int digits) {
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }
}
