package dev.berth.postgres;

import dev.berth.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection of the pool in our hands: each statement commits by itself, and no answer is waited
 * for without end, for a network that swallows packets tells nobody. It goes back as it came.
 */
record Loan(Connection connection, boolean manual, int timeout) implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofHours(1);

  /**
   * @param longest how long to wait for an answer; zero: as long as it takes
   */
  static Loan from(DataSource dataSource, Duration longest) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      boolean manual = !connection.getAutoCommit();
      if (manual) {
        commitByItself(connection);
      }
      Loan loan = new Loan(connection, manual, connection.getNetworkTimeout());
      long millis = Math.min(longest.toMillis(), LONGEST.toMillis());
      connection.setNetworkTimeout(Runnable::run, (int) millis);
      return loan;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, timeout);
        if (manual) {
          connection.setAutoCommit(false);
        }
      }
    }
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
}
