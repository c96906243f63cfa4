package dev.berth.postgres;

import dev.berth.store.StoreException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the pool in our hands: each statement commits by itself, and no answer is waited
 * for without end, for a network that swallows packets tells nobody. It goes back as it came.
 */
record Loan(Connection connection, @Nullable BaseConnection driver, boolean manual, int timeout)
    implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Loan.class);

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
      Loan loan = new Loan(connection, driver(connection), manual, connection.getNetworkTimeout());
      long millis = Math.min(longest.toMillis(), LONGEST.toMillis());
      connection.setNetworkTimeout(Runnable::run, (int) millis);
      return loan;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Where an answer was not read to its end, nobody can tell what comes next: it is cut then. */
  <T> T run(Database.ConnectionWork<T> work) throws SQLException {
    try {
      return work.on(connection);
    } catch (SQLException e) {
      if (e.getCause() instanceof OutOfMemoryError full) {
        throw full; // the driver has passed over the rows that it had no memory for
      }
      if (e.getCause() instanceof SocketTimeoutException) {
        cancel();
      }
      throw e;
    } catch (Error e) {
      abort();
      throw e;
    }
  }

  /**
   * No answer came in time, and the driver has dropped the connection. The server does not notice
   * and goes on waiting for a lock, while the next try waits for the same lock on another one.
   */
  private void cancel() {
    BaseConnection dropped = driver;
    if (dropped != null) {
      Thread.startVirtualThread(() -> {
        try {
          dropped.getQueryExecutor().sendQueryCancel();
        } catch (SQLException e) {
          LOG.debug("Could not ask the server to stop: {}", e.getMessage());
        }
      });
    }
  }

  /** Cuts it. It still has to be closed. */
  void abort() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // it is gone already
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

  /** Known from the first: a pool lets go of a connection that has failed. */
  private static @Nullable BaseConnection driver(Connection connection) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        ? connection.unwrap(BaseConnection.class)
        : null;
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
