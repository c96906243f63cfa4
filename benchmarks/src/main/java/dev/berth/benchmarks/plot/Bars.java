package dev.berth.benchmarks.plot;

import java.util.List;

/** Bars below each other, with all targets on one line. */
final class Bars {

  private static final double HEAD = 46;
  private static final double ROW = 40;
  private static final double THICK = 11;
  private static final double WIDTH = 700;
  private static final double AT_TARGET = 0.62;

  private final String title;
  private final String hint;
  private final List<Bar> bars;

  Bars(String title, String hint, List<Bar> bars) {
    this.title = title;
    this.hint = hint;
    this.bars = bars;
  }

  boolean isEmpty() {
    return bars.isEmpty();
  }

  double height() {
    return HEAD + ROW * bars.size();
  }

  void draw(Svg svg, double left, double right, double top) {
    svg.text(left, top + 18, "head ink", "start", title);
    svg.text(right, top + 18, "small soft", "end", hint);
    double goal = left + WIDTH * AT_TARGET;
    double y = top + HEAD;
    for (Bar bar : bars) {
      svg.labelled(left, y, bar.name(), bar.means());
      double line = y + 7;
      svg.box(left, line, WIDTH, THICK, 3, "track");
      svg.box(left, line, x(bar.part()), THICK, 3, bar.met() ? "met" : "missed");
      if (bar.high() > bar.low()) {
        double middle = line + THICK / 2;
        svg.line(left + x(bar.low()), middle, left + x(bar.high()), middle, "spread");
      }
      svg.line(goal, line - 3, goal, line + THICK + 3, "goal");
      svg.text(left + WIDTH + 62, line + THICK - 1, "value ink", "end", bar.text());
      svg.text(
          left + WIDTH + 74,
          line + THICK - 1,
          bar.met() ? "small good" : "small bad",
          "start",
          "%s %s".formatted(bar.target(), bar.met() ? "met" : "missed"));
      y += ROW;
    }
  }

  /** What goes beyond the end is cut there. */
  private static double x(double part) {
    return Math.max(2, Math.min(1, part * AT_TARGET) * WIDTH);
  }
}
