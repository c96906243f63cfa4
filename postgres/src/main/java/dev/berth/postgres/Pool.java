package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds out at start, not under load, whether the pool is large enough. */
final class Pool {

  private Pool() {}

  static void check(Database database, int needed) {
    List<Connection> taken = new ArrayList<>();
    try {
      while (taken.size() < needed) {
        taken.add(database.take("take a connection"));
      }
    } catch (StoreException e) {
      if (taken.isEmpty() || unreachable(e)) {
        throw e;
      }
      throw new StoreException(
          Kind.INVALID,
          "The connection pool gave only "
              + taken.size()
              + " of the "
              + needed
              + " connections that a worker needs at the same time: enlarge the pool"
              + " (maximumPoolSize in HikariCP)",
          e);
    } finally {
      taken.forEach(Pool::giveBack);
    }
  }

  /** A pool that is too small has no connection to give; one whose database is down says why. */
  private static boolean unreachable(StoreException e) {
    return e.getCause() instanceof SQLException pool && pool.getCause() instanceof SQLException;
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // the pool has lost it anyway
    }
  }
}
