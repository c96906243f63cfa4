package dev.berth.benchmarks;

import dev.berth.benchmarks.plot.Curve;
import java.util.List;
import java.util.function.UnaryOperator;

/** Values of one figure, one for each round. */
record Samples(List<Double> values) {

  Samples {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("No samples");
    }
    values = List.copyOf(values);
  }

  static Samples of(double value) {
    return new Samples(List.of(value));
  }

  /** The same of something that follows from each value. */
  Samples map(UnaryOperator<Double> rule) {
    return new Samples(values.stream().map(rule).toList());
  }

  /** As it is drawn: the median between the least and the most. */
  Curve.Point point() {
    return new Curve.Point(median(), percentile(0), max());
  }

  int count() {
    return values.size();
  }

  double median() {
    return percentile(50);
  }

  double max() {
    return percentile(100);
  }

  /** The value that so many percent do not exceed, between two values their weighted mean. */
  double percentile(double percent) {
    List<Double> sorted = values.stream().sorted().toList();
    double place = percent / 100 * (sorted.size() - 1);
    double below = sorted.get((int) Math.floor(place));
    double above = sorted.get((int) Math.ceil(place));
    return below + (above - below) * (place - Math.floor(place));
  }

  /** How far the rounds lie apart, as a part of their median. */
  double spread() {
    double median = median();
    return median == 0 ? 0 : (max() - percentile(0)) / median;
  }
}
