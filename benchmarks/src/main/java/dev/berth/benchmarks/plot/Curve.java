package dev.berth.benchmarks.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How something changes with a size. The sizes are steps of equal width, such as 10k, 100k, 1m. */
public final class Curve {

  /** A median, and the rounds it lies between. */
  public record Point(double median, double low, double high) {}

  private final String title;
  private final String sizes;
  private final String unit;
  private final List<String> steps = new ArrayList<>();
  private final Map<String, Map<String, Point>> series = new LinkedHashMap<>();

  private Curve(String title, String sizes, String unit) {
    this.title = title;
    this.sizes = sizes;
    this.unit = unit;
  }

  /**
   * One without points.
   *
   * @param sizes what the sizes are, such as tasks waiting
   * @param unit of the values
   */
  public static Curve of(String title, String sizes, String unit) {
    return new Curve(title, sizes, unit);
  }

  /** Adds a point to a line of this name. */
  public Curve point(String line, String size, Point point) {
    if (!steps.contains(size)) {
      steps.add(size);
    }
    series.computeIfAbsent(line, name -> new LinkedHashMap<>()).put(size, point);
    return this;
  }

  String title() {
    return title;
  }

  String sizes() {
    return sizes;
  }

  String unit() {
    return unit;
  }

  List<String> steps() {
    return steps;
  }

  /** The points of each line, by size. */
  Map<String, Map<String, Point>> series() {
    return series;
  }

  double max() {
    return series.values().stream()
        .flatMap(points -> points.values().stream())
        .mapToDouble(Point::high)
        .max()
        .orElse(0);
  }
}
