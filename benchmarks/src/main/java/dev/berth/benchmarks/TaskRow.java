package dev.berth.benchmarks;

import static java.util.Objects.requireNonNull;

import dev.berth.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** A row of the table of tasks as COPY has it, whatever columns there are. Times are in UTC. */
final class TaskRow {

  private static final String UTC = "+00";
  private static final String NAMES =
      """
      select attname from pg_attribute
       where attrelid = 'berth_private.task'::regclass and attnum > 0 and not attisdropped order by attnum
      """;

  private final Columns columns;
  private final String[] values;

  private TaskRow(Columns columns, String[] values) {
    this.columns = columns;
    this.values = values;
  }

  /** Their places in a row, by name. */
  record Columns(Map<String, Integer> places) {

    int place(String name) {
      return requireNonNull(places.get(name), name);
    }
  }

  static Columns columns(Statement statement) throws SQLException {
    Map<String, Integer> places = new HashMap<>();
    try (ResultSet row = statement.executeQuery(NAMES)) {
      while (row.next()) {
        places.put(row.getString(1), places.size());
      }
    }
    return new Columns(places);
  }

  static TaskRow of(Columns columns, String line) {
    return new TaskRow(columns, line.split("\t", -1));
  }

  String get(String column) {
    return values[columns.place(column)];
  }

  TaskRow with(String column, String value) {
    String[] changed = values.clone();
    changed[columns.place(column)] = value;
    return new TaskRow(columns, changed);
  }

  /** Another task that stands so many places behind. */
  TaskRow copy(int behind) {
    String position = get("position").replace(UTC, "").replace(' ', 'T');
    LocalDateTime moved = LocalDateTime.parse(position).plus(behind, ChronoUnit.MICROS);
    return with("id", TaskId.next().toString()).with("position", moved + UTC);
  }

  String line() {
    return String.join("\t", values) + "\n";
  }
}
