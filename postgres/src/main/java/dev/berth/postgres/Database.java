package dev.berth.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Runs one statement or one transaction on a connection of the pool. */
final class Database {

  /** The class of errors after which nothing was done: a deadlock, or two at the same row. */
  private static final String ROLLED_BACK = "40";

  /** Far longer than any call of ours takes. */
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final DataSource dataSource;

  Database(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Sets the arguments of a statement. */
  @FunctionalInterface
  interface Binding {
    void on(PreparedStatement statement) throws SQLException;
  }

  /** Work on a prepared statement. */
  @FunctionalInterface
  interface Work<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  /** Work on a connection. */
  @FunctionalInterface
  interface ConnectionWork<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * One statement that commits by itself, sent again if the database rolled it back in favour of
   * somebody else: nothing was done, and a deadlock does not come twice.
   */
  static <T> T persistently(Connection connection, ConnectionWork<T> work) throws SQLException {
    try {
      return work.on(connection);
    } catch (SQLException e) {
      if (e.getSQLState() == null || !e.getSQLState().startsWith(ROLLED_BACK)) {
        throw e;
      }
      return work.on(connection);
    }
  }

  /** One statement, committed by itself. */
  <T> T run(String doing, Statements statement, Work<T> work) {
    return connected(doing, connection -> run(connection, statement, work));
  }

  static <T> T run(Connection connection, Statements statement, Work<T> work) throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(statement.sql)) {
      return work.on(prepared);
    }
  }

  /** A connection in auto-commit mode, given back afterwards as it came. */
  <T> T connected(String doing, ConnectionWork<T> work) {
    return connected(doing, LONGEST, work);
  }

  /**
   * As above.
   *
   * @param longest how long to wait for an answer; zero: as long as it takes
   */
  <T> T connected(String doing, Duration longest, ConnectionWork<T> work) {
    try (Loan loan = Loan.from(dataSource, longest)) {
      return loan.run(work);
    } catch (SQLException e) {
      throw Failures.of(doing, e);
    }
  }

  /** A connection that the caller keeps and closes. */
  Loan take(String doing, Duration longest) {
    try {
      return Loan.from(dataSource, longest);
    } catch (SQLException e) {
      throw Failures.of(doing, e);
    }
  }

  Loan take(String doing) {
    return take(doing, LONGEST);
  }
}
