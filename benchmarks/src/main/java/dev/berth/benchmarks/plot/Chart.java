package dev.berth.benchmarks.plot;

import java.util.List;
import java.util.Map;

/** One curve with its axes. */
record Chart(Curve curve, double left, double top, double width, double height) {

  private static final double AXIS = 56;
  private static final double HEAD = 66;
  private static final double FOOT = 46;

  void draw(Svg svg) {
    svg.box(left, top, width, height, 8, "panel");
    svg.text(left + 16, top + 24, "name ink", "start", curve.title() + ", " + curve.unit());
    List<String> names = List.copyOf(curve.series().keySet());
    if (names.size() > 1) {
      svg.legend(left + 16, top + 43, names);
    }
    Scale scale = Scale.upTo(curve.max());
    for (double value : scale.values()) {
      double y = y(scale, value);
      svg.line(left + AXIS, y, left + width - 16, y, "grid");
      svg.text(left + AXIS - 8, y + 4, "small soft", "end", scale.label(value));
    }
    List<String> steps = curve.steps();
    for (int i = 0; i < steps.size(); i++) {
      svg.text(x(i), top + height - FOOT + 18, "small soft", "middle", steps.get(i));
    }
    svg.text(
        left + AXIS + (width - AXIS - 16) / 2,
        top + height - 10,
        "tiny soft",
        "middle",
        curve.sizes());
    int number = 0;
    for (Map<String, Curve.Point> points : curve.series().values()) {
      line(svg, scale, points, "line s" + number, "dot s" + number);
      number++;
    }
  }

  private void line(
      Svg svg, Scale scale, Map<String, Curve.Point> points, String looks, String dots) {
    StringBuilder path = new StringBuilder();
    for (Map.Entry<String, Curve.Point> each : points.entrySet()) {
      double x = x(curve.steps().indexOf(each.getKey()));
      Curve.Point point = each.getValue();
      path.append(path.isEmpty() ? "M" : "L")
          .append(Svg.number(x))
          .append(' ')
          .append(Svg.number(y(scale, point.median())));
      svg.line(x, y(scale, point.low()), x, y(scale, point.high()), looks + " thin");
    }
    svg.path(path.toString(), looks);
    points.forEach((step, point) -> {
      double x = x(curve.steps().indexOf(step));
      svg.dot(x, y(scale, point.median()), dots);
      if (curve.series().size() == 1) {
        String text = scale.exactly(point.median());
        svg.text(x, y(scale, point.high()) - 9, "tiny ink", "middle", text);
      }
    });
  }

  private double x(int step) {
    double room = width - AXIS - 16;
    return left + AXIS + room * (step + 0.5) / curve.steps().size();
  }

  private double y(Scale scale, double value) {
    double room = height - HEAD - FOOT;
    return top + HEAD + room * (1 - value / scale.max());
  }
}
