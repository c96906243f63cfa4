package dev.berth.postgres;

import dev.berth.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection kept for one purpose, so that this work is never starved by others at the pool.
 * Replaced after an error; one call at a time.
 */
final class HeldConnection implements AutoCloseable {

  private final Database database;
  private final Duration longest;
  private final ReentrantLock oneCall = new ReentrantLock();
  private volatile @Nullable Loan loan;
  private volatile boolean closed;

  /**
   * @param longest how long to wait for an answer
   */
  HeldConnection(Database database, Duration longest) {
    this.database = database;
    this.longest = longest;
  }

  <T> T run(String doing, Database.ConnectionWork<T> work) {
    oneCall.lock();
    try {
      if (closed) {
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE, "Could not " + doing + ": the session has ended");
      }
      Loan held = loan;
      if (held == null) {
        held = database.take(doing, longest);
        loan = held;
      }
      return held.run(work);
    } catch (SQLException e) {
      drop();
      throw Failures.of(doing, e);
    } catch (Error e) {
      drop();
      throw e;
    } finally {
      oneCall.unlock();
    }
  }

  /** A call that is under way fails: it may be waiting for a network that is gone. */
  @Override
  public void close() {
    closed = true;
    if (!oneCall.tryLock()) {
      abort();
      oneCall.lock();
    }
    try {
      drop();
    } finally {
      oneCall.unlock();
    }
  }

  private void abort() {
    Loan used = loan;
    if (used != null) {
      used.abort();
    }
  }

  private void drop() {
    Loan dropped = loan;
    loan = null;
    if (dropped != null) {
      try {
        dropped.close();
      } catch (SQLException e) {
        // it was broken or is gone already; there is nothing left to give back
      }
    }
  }
}
