package dev.berth.postgres;

import java.util.List;

/**
 * All functions and views of the schema, in their final form: replaced as a whole, or not at all.
 */
final class Functions {

  /** Their place in the table of versions, where migrations begin with 1. */
  static final int NUMBER = 0;

  static final String NAME = "functions";

  private Functions() {}

  /** The files, from those that use no others up to those that people call. */
  static List<String> files() {
    return Resources.read("functions/order.txt").lines().toList();
  }

  static String sql() {
    StringBuilder sql = new StringBuilder(Resources.read("functions/drop.sql"));
    for (String file : files()) {
      sql.append("\n-- ").append(file).append("\n");
      sql.append(Resources.read("functions/" + file + ".sql"));
    }
    return sql.toString();
  }

  static String checksum() {
    return Resources.checksum(sql());
  }
}
