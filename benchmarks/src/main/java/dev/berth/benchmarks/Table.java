package dev.berth.benchmarks;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Columns as wide as their widest cell, numbers to the right. */
final class Table {

  private static final String GAP = "  ";

  private record Column(String heading, boolean right) {}

  private final List<Column> columns = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  Table text(String heading) {
    columns.add(new Column(heading, false));
    return this;
  }

  Table number(String heading) {
    columns.add(new Column(heading, true));
    return this;
  }

  Table row(String... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + columns.size() + " columns");
    }
    rows.add(List.of(cells));
    return this;
  }

  void print(PrintWriter out) {
    out.println(line(columns.stream().map(Column::heading).toList()));
    rows.forEach(row -> out.println(line(row)));
  }

  private String line(List<String> cells) {
    StringBuilder line = new StringBuilder();
    IntStream.range(0, cells.size())
        .forEach(i -> {
          String space = " ".repeat(width(i) - cells.get(i).length());
          line.append(i == 0 ? "" : GAP)
              .append(columns.get(i).right() ? space + cells.get(i) : cells.get(i) + space);
        });
    return line.toString().stripTrailing();
  }

  private int width(int column) {
    int heading = columns.get(column).heading().length();
    return rows.stream().mapToInt(row -> row.get(column).length()).reduce(heading, Math::max);
  }
}
