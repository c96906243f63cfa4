package dev.berth.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * The exchanges of one session in plain SQL: on a connection whose transactions the test holds in
 * its hand, and with the number of pages that each call touched. Time depends on the machine, pages
 * do not.
 */
final class RawExchange implements AutoCloseable {

  /** The type that the session handles. */
  static final String TYPE = "ours";

  /** A task in the hands of the session. */
  record Claimed(String id, String token) {}

  /**
   * What one exchange came to.
   *
   * @param floor from where to go on in the line of the default priority; null: from its start
   * @param cursor the lane after which to go on
   * @param seen where long lanes begin, as line and microsecond; null: few dead entries were read
   */
  record Answer(List<Claimed> claims, String floor, String cursor, List<String> seen, long pages) {}

  private final Connection connection;
  private final String session;
  private long number;

  private RawExchange(Connection connection, String session) {
    this.connection = connection;
    this.session = session;
  }

  static RawExchange open(String url) throws SQLException {
    Properties simple = new Properties();
    // else a statement within a transaction is explained when the next one comes
    simple.setProperty("preferQueryMode", "simple");
    Connection connection = DriverManager.getConnection(url, simple);
    Plans.explainEverything(connection);
    try (Statement statement = connection.createStatement()) {
      try (ResultSet opened =
          statement.executeQuery(
              "select session_id from berth.open_session(%d, 'raw', null, '1 hour', 100, '{%s}',"
                      .formatted(Migration.NEWEST, TYPE)
                  + " '{default}')")) {
        opened.next();
        return new RawExchange(connection, opened.getString(1));
      }
    }
  }

  /** Hands in these as finished and takes up to so many tasks under limits. */
  Answer lanes(List<Claimed> ended, String cursor, int size) throws SQLException {
    return exchange(
        ended, "'{default,default}'", "{null,null}", null, "{lanes,scan}", cursor, size);
  }

  /** The same without a scan of the whole queue, and with these arguments besides. */
  Answer look(List<Claimed> ended, int size, String more) throws SQLException {
    return exchange(ended, "'{default}'", "{null}", null, "{lanes}", null, size, more);
  }

  /** The same, but looks for them only if it gives slots back that it has a use for. */
  Answer freed(List<Claimed> ended, int size) throws SQLException {
    return exchange(ended, "'{default}'", "{null}", null, "{freed}", null, size);
  }

  /** Hands in these as finished and takes up to so many tasks without limits. */
  Answer plain(List<Claimed> ended, String floor, int size) throws SQLException {
    return exchange(ended, "'{default}'", "{5}", floor, "{plain}", null, size);
  }

  /** Hands in these as finished and takes none. */
  void end(List<Claimed> ended) throws SQLException {
    exchange(ended, "'{}'::text[]", "{}", null, "{}", null, 0);
  }

  /** What follows is one transaction. */
  void begin() throws SQLException {
    run("begin");
  }

  void commit() throws SQLException {
    run("commit");
  }

  /** The first row, in the transaction of the exchanges. */
  List<Long> numbers(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      List<Long> numbers = new ArrayList<>();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        numbers.add(row.getLong(i));
      }
      return numbers;
    }
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private Answer exchange(
      List<Claimed> ended,
      String queues,
      String priorities,
      String floor,
      String modes,
      String cursor,
      int size)
      throws SQLException {
    return exchange(ended, queues, priorities, floor, modes, cursor, size, "");
  }

  private Answer exchange(
      List<Claimed> ended,
      String queues,
      String priorities,
      String floor,
      String modes,
      String cursor,
      int size,
      String more)
      throws SQLException {
    String ids = String.join(",", ended.stream().map(Claimed::id).toList());
    String tokens = String.join(",", ended.stream().map(Claimed::token).toList());
    String outcomes = String.join(",", ended.stream().map(e -> "finished").toList());
    String nulls = String.join(",", ended.stream().map(e -> "null").toList());
    String sql =
        """
        select kind, id, token, "position", payload, metadata
          from berth.exchange(%s, %d, '{%s}', '{%s}', '{%s}', '{%s}', '{%s}', %s, '%s'::int2[],
                              array[%s]::timestamptz[], '%s', array[%s]::text[], '{%s}', %d%s)
        """
            .formatted(
                Sql.caller(session),
                ++number,
                ids,
                tokens,
                outcomes,
                nulls,
                nulls,
                queues,
                priorities,
                quoted(floor),
                modes,
                quoted(cursor),
                TYPE,
                size,
                more);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<Claimed> claims = new ArrayList<>();
      String nextFloor = null;
      String nextCursor = null;
      List<String> seen = null;
      while (rows.next()) {
        switch (rows.getString("kind")) {
          case "claim" -> claims.add(new Claimed(rows.getString("id"), rows.getString("token")));
          case "level" -> nextFloor = rows.getString("position");
          case "lanes" -> {
            nextCursor = rows.getString("payload");
            seen = rows.getArray("metadata") == null ? null : Arrays.texts(rows, "metadata");
          }
          default -> {}
        }
      }
      return new Answer(claims, nextFloor, nextCursor, seen, Plans.pages(statement));
    }
  }

  private static String quoted(String text) {
    return text == null ? "null" : "'" + text + "'";
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
