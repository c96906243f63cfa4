package dev.berth.cli;

import dev.berth.value.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A table for people: columns as wide as their widest cell, numbers to the right. */
final class Table {

  private static final String GAP = "  ";

  private final List<Column> columns = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  private record Column(String heading, boolean right) {}

  Table text(String heading) {
    columns.add(new Column(heading, false));
    return this;
  }

  Table number(String heading) {
    columns.add(new Column(heading, true));
    return this;
  }

  Table row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + columns.size() + " columns");
    }
    rows.add(Stream.of(cells).map(cell -> Printable.line(cell.toString())).toList());
    return this;
  }

  void print(PrintWriter out) {
    int[] widths = IntStream.range(0, columns.size()).map(this::width).toArray();
    out.println(line(columns.stream().map(Column::heading).toList(), widths));
    rows.forEach(row -> out.println(line(row, widths)));
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String space = " ".repeat(widths[i] - cells.get(i).length());
      line.append(i == 0 ? "" : GAP)
          .append(columns.get(i).right() ? space + cells.get(i) : cells.get(i) + space);
    }
    return line.toString().stripTrailing();
  }

  private int width(int column) {
    int heading = columns.get(column).heading().length();
    return rows.stream().mapToInt(row -> row.get(column).length()).reduce(heading, Math::max);
  }
}
