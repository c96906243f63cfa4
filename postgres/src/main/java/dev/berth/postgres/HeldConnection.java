package dev.berth.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection kept for one purpose, so that this work is never starved by others at the pool.
 * Replaced after an error; one call at a time.
 */
final class HeldConnection implements AutoCloseable {

  private final Database database;
  private @Nullable Connection connection;
  private boolean closed;

  HeldConnection(Database database) {
    this.database = database;
  }

  synchronized <T> T run(String doing, Database.ConnectionWork<T> work) {
    if (closed) {
      throw new IllegalStateException("Could not " + doing + ": the store is closed");
    }
    if (connection == null) {
      connection = database.take(doing);
    }
    try {
      return work.on(connection);
    } catch (SQLException e) {
      drop();
      throw Failures.of(doing, e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    drop();
  }

  private void drop() {
    Connection dropped = connection;
    connection = null;
    if (dropped != null) {
      try {
        dropped.close();
      } catch (SQLException e) {
        // it was broken or is gone already; there is nothing left to give back
      }
    }
  }
}
