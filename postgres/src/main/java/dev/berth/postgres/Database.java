package dev.berth.postgres;

import dev.berth.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Runs one statement or one transaction on a connection of the pool. No call waits for ever: a
 * network that swallows packets tells nobody, and only a time-out finds out.
 */
final class Database {

  /** Far longer than any call of ours takes. */
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final DataSource dataSource;

  Database(DataSource dataSource) {
    this.dataSource = dataSource;
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
    try (Connection connection = dataSource.getConnection()) {
      boolean manual = !connection.getAutoCommit();
      int timeout = connection.getNetworkTimeout();
      if (manual) {
        commitByItself(connection);
      }
      waitFor(connection, longest);
      try {
        return work.on(connection);
      } finally {
        if (!connection.isClosed()) {
          connection.setNetworkTimeout(Runnable::run, timeout);
          if (manual) {
            connection.setAutoCommit(false);
          }
        }
      }
    } catch (SQLException e) {
      throw Failures.of(doing, e);
    }
  }

  /** A connection that the caller keeps and closes. */
  Connection take(String doing, Duration longest) throws StoreException {
    try {
      Connection connection = dataSource.getConnection();
      if (!connection.getAutoCommit()) {
        commitByItself(connection);
      }
      waitFor(connection, longest);
      return connection;
    } catch (SQLException e) {
      throw Failures.of(doing, e);
    }
  }

  Connection take(String doing) throws StoreException {
    return take(doing, LONGEST);
  }

  /** Switching to auto-commit would commit whatever is open: never somebody else's transaction. */
  private static void commitByItself(Connection connection) throws SQLException {
    if (connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE) {
      throw new StoreException(
          StoreException.Kind.INVALID,
          "The data source of the store gave out a connection with a transaction under way: give"
              + " the store the plain pool, not a proxy that joins transactions, and use"
              + " store.joining(connection) to submit as part of a transaction");
    }
    connection.setAutoCommit(true);
  }

  private static void waitFor(Connection connection, Duration longest) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, Math.toIntExact(longest.toMillis()));
  }
}
