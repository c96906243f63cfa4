package dev.berth.postgres;

import dev.berth.task.TaskId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets SQL tasks in, each with a connection, as long as enough of the server's connections are left
 * to others. One at a time on all workers: what was counted as free is still free when it is taken.
 */
final class Door {

  private static final Logger LOG = LoggerFactory.getLogger(Door.class);

  /** How long a task waits for one of this process to end, before it goes back. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** What comes of asking. */
  sealed interface Entry {

    /** The task can never run. */
    record Refused(String why) implements Entry {}

    /** Not now. */
    record Closed(Duration again) implements Entry {}

    record Open(Connection connection, String launcher) implements Entry {}
  }

  private final PostgresStore store;
  private final RoleConnections connections;
  private final int reserve;
  private final ReentrantLock oneAtATime = new ReentrantLock();
  private final Condition left = oneAtATime.newCondition();
  private int inside;
  private String why = "";
  private long closedUntil = System.nanoTime();
  private Duration pause = Duration.ZERO;

  Door(PostgresStore store, RoleConnections connections, int reserve) {
    this.store = store;
    this.connections = connections;
    this.reserve = reserve;
  }

  Entry enter(TaskId task, long token) throws InterruptedException {
    oneAtATime.lockInterruptibly();
    try {
      long patience = PATIENCE;
      while (true) {
        if (closedFor() <= 0) {
          Entry entry = store.database().connected("start a SQL task", on -> ask(on, task, token));
          if (!(entry instanceof Entry.Closed)) {
            inside += entry instanceof Entry.Open ? 1 : 0;
            return entry;
          }
        }
        if (inside == 0 || patience <= 0) {
          return closedFor() > 0 ? new Entry.Closed(Duration.ofNanos(closedFor())) : closed(why);
        }
        patience = left.awaitNanos(patience);
      }
    } finally {
      oneAtATime.unlock();
    }
  }

  /** A task that was let in has closed its connection. */
  void leave() {
    oneAtATime.lock();
    try {
      inside--;
      closedUntil = System.nanoTime();
      left.signal();
    } finally {
      oneAtATime.unlock();
    }
  }

  private long closedFor() {
    return closedUntil - System.nanoTime();
  }

  /** There is no connection at this moment. */
  private Entry full(String reason) {
    why = reason;
    return new Entry.Closed(Duration.ZERO);
  }

  /** Holds the lock of the store until it is connected. */
  private Entry ask(Connection connection, TaskId task, long token) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement(Statements.PREPARE_SQL.sql)) {
      statement.setObject(1, task.value());
      statement.setLong(2, token);
      statement.setArray(3, Arrays.uuids(connection, store.proofs(), proof -> proof));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        String refused = row.getString("refused");
        if (refused != null) {
          return new Entry.Refused(refused);
        }
        int free = row.getInt("free");
        if (free <= reserve) {
          return full(
              "only %d connections of the server are free, and %d are left to others"
                  .formatted(free, reserve));
        }
        return connect(row.getString("launcher"));
      }
    } finally {
      connection.rollback(); // nothing was written; it ends the lock
      connection.setAutoCommit(true);
    }
  }

  private Entry connect(String launcher) {
    try {
      return new Entry.Open(connections.connect(launcher), launcher);
    } catch (SQLException e) {
      return full(
          "there is no connection for a task of role " + launcher + " (" + e.getMessage() + ")");
    }
  }

  /** The connection that it gave is fit. */
  void passed() {
    oneAtATime.lock();
    try {
      if (pause.isPositive()) {
        LOG.info("SQL tasks go on");
        pause = Duration.ZERO;
      }
    } finally {
      oneAtATime.unlock();
    }
  }

  /** The connection that it gave is not fit; says when to ask again. */
  Duration close(String why) {
    oneAtATime.lock();
    try {
      return closed(why).again();
    } finally {
      oneAtATime.unlock();
    }
  }

  /** Ends a backend that does not answer, as the role that it is of. */
  void end(String launcher, int backend) {
    try (Connection connection = connections.connect(launcher);
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_catalog.pg_terminate_backend(" + backend + ")");
    } catch (SQLException e) {
      LOG.warn("Backend {} of a SQL task does not answer: {}", backend, e.getMessage());
    }
  }

  /** Says so once; asks again after a second, then less and less often. */
  private Entry.Closed closed(String why) {
    if (pause.isZero()) {
      LOG.warn("SQL tasks wait: {}", why);
    }
    Duration next = pause.multipliedBy(2);
    pause = next.isZero() ? FIRST_PAUSE : next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
    closedUntil = System.nanoTime() + pause.toNanos();
    return new Entry.Closed(pause);
  }
}
