package dev.berth.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.Berth;
import dev.berth.task.TaskType;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/**
 * A million tasks in seconds: some are submitted, and written again many times. The table is
 * emptied and filled in one transaction by COPY, frozen, so that each page goes to the disk once:
 * the server need not log it, and vacuum has nothing to do.
 */
final class Copies {

  private static final int BUFFER = 1 << 16;

  private Copies() {}

  /** So many tasks of a type where there are none, as they would be had they been submitted. */
  static void fill(BenchDatabase database, Berth berth, TaskType<NoOp, Void> type, int tasks)
      throws SQLException, IOException {
    NoOp.submit(berth, type, 1);
    of(database, Map.of(type.name(), tasks - 1));
  }

  /** Adds so many copies of each ready task of these types. */
  static void of(BenchDatabase database, Map<String, Integer> copiesByType)
      throws SQLException, IOException {
    add(
        database,
        row -> {
          int copies =
              row.get("state").equals("ready") ? copiesByType.getOrDefault(row.get("type"), 0) : 0;
          return IntStream.rangeClosed(1, copies).mapToObj(row::copy);
        });
  }

  /** Adds to each task that is there what follows from it. */
  static void add(BenchDatabase database, Function<TaskRow, Stream<TaskRow>> more)
      throws SQLException, IOException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("set timezone to 'UTC'");
      TaskRow.Columns columns = TaskRow.columns(statement);
      List<TaskRow> rows = read(connection).lines().map(line -> TaskRow.of(columns, line)).toList();
      statement.execute("truncate berth_private.task");
      try (Writer writer = writer(connection)) {
        for (TaskRow row : rows) {
          writer.write(row.line());
          for (TaskRow each : (Iterable<TaskRow>) more.apply(row)::iterator) {
            writer.write(each.line());
          }
        }
      }
      connection.commit();
    }
    database.execute("vacuum analyze berth_private.task");
  }

  private static String read(Connection connection) throws SQLException, IOException {
    ByteArrayOutputStream rows = new ByteArrayOutputStream();
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyOut("copy berth_private.task to stdout", rows);
    return rows.toString(UTF_8);
  }

  private static Writer writer(Connection connection) throws SQLException {
    var copy =
        new PGCopyOutputStream(
            connection.unwrap(PGConnection.class),
            "copy berth_private.task from stdin (freeze)",
            BUFFER);
    return new BufferedWriter(new OutputStreamWriter(copy, UTF_8), BUFFER);
  }
}
