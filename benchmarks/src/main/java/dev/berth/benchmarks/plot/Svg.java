package dev.berth.benchmarks.plot;

import java.util.List;
import java.util.Locale;

/** Writes the elements of an SVG. How they look is in the style of {@link Plot}, by class. */
final class Svg {

  private final StringBuilder elements = new StringBuilder();

  /** Text whose first line stands on y. The anchor is start, middle or end. */
  Svg text(double x, double y, String looks, String anchor, String text) {
    return add(
        "<text x=\"%s\" y=\"%s\" class=\"%s\" text-anchor=\"%s\">%s</text>"
            .formatted(number(x), number(y), looks, anchor, escaped(text)));
  }

  /** A bold name and what follows it, on one line. */
  Svg labelled(double x, double y, String name, String text) {
    return add(
        "<text x=\"%s\" y=\"%s\" class=\"small soft\"><tspan class=\"name ink\">%s</tspan>"
                .formatted(number(x), number(y), escaped(name))
            + "<tspan dx=\"8\">%s</tspan></text>".formatted(escaped(text)));
  }

  /** What the lines of a chart are, each after a dot of its colour. */
  Svg legend(double x, double y, List<String> names) {
    StringBuilder spans = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      spans
          .append("<tspan class=\"dot s%d\" dx=\"%d\">\u25cf</tspan>".formatted(i, i == 0 ? 0 : 16))
          .append("<tspan dx=\"5\">%s</tspan>".formatted(escaped(names.get(i))));
    }
    return add(
        "<text x=\"%s\" y=\"%s\" class=\"tiny soft\">%s</text>"
            .formatted(number(x), number(y), spans));
  }

  Svg box(double x, double y, double width, double height, double corner, String looks) {
    return add(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\" class=\"%s\"/>"
            .formatted(number(x), number(y), number(width), number(height), number(corner), looks));
  }

  Svg line(double x1, double y1, double x2, double y2, String looks) {
    return add(
        "<path d=\"M%s %sL%s %s\" class=\"%s\"/>"
            .formatted(number(x1), number(y1), number(x2), number(y2), looks));
  }

  Svg path(String path, String looks) {
    return add("<path d=\"%s\" class=\"%s\"/>".formatted(path, looks));
  }

  Svg dot(double x, double y, String looks) {
    return add(
        "<circle cx=\"%s\" cy=\"%s\" r=\"4\" class=\"%s\"/>"
            .formatted(number(x), number(y), looks));
  }

  private Svg add(String element) {
    elements.append(element).append('\n');
    return this;
  }

  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public String toString() {
    return elements.toString();
  }
}
