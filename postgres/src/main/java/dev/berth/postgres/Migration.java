package dev.berth.postgres;

import java.util.ArrayList;
import java.util.List;

/**
 * One numbered step of the tables. A release that changes functions adds a step too, if only an
 * empty one: the number tells which of two versions is the newer.
 *
 * @param name such as {@code 001_schema}
 */
record Migration(int number, String name, String sql) {

  /** Every step there is, in order; a new one is a file and a line here. */
  private static final List<String> NAMES = List.of("001_schema");

  static List<Migration> all() {
    List<Migration> all = new ArrayList<>();
    for (String name : NAMES) {
      int number = Integer.parseInt(name.substring(0, 3));
      all.add(new Migration(number, name, Resources.read("migrations/" + name + ".sql")));
    }
    return List.copyOf(all);
  }

  /** The number that the whole schema has with it. */
  static final int NEWEST = Integer.parseInt(NAMES.getLast().substring(0, 3));

  /** Tells whether the file that was applied is the file that is here. */
  String checksum() {
    return Resources.checksum(sql);
  }
}
