package dev.berth.postgres;

import dev.berth.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears notifications on a connection of its own, one per process; reconnects by itself. */
final class HintListener implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HintListener.class);

  /** How long one look takes at most; a notification ends it at once. */
  private static final int WAIT_MS = 500;

  /** After so much silence the connection is asked whether it is still there. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final String GREETING = "hello";
  private static final int ANSWER_S = 5;
  private static final long RETRY_MS = 1_000;
  private static final long CONNECT_MS = 2_000;

  private final Database database;
  private final Consumer<Hint> heard;
  private final IntPredicate ours;

  /** Called after each reconnect: hints may have been lost before it. */
  private final Runnable reconnected;

  private final CountDownLatch listening = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean closed;

  /** Whether anything was heard since it listens: through some poolers nothing ever is. */
  private volatile boolean hears;

  /**
   * @param ours whether this server process notifies for this one, which knows already
   */
  HintListener(Database database, Consumer<Hint> heard, IntPredicate ours, Runnable reconnected) {
    this.database = database;
    this.heard = heard;
    this.ours = ours;
    this.reconnected = reconnected;
    this.thread = Thread.ofPlatform().daemon().name("berth-listen").start(this::listen);
  }

  /** Waits a moment for the first connection, so that what happens next is heard. */
  void awaitConnected() {
    try {
      if (!listening.await(CONNECT_MS, TimeUnit.MILLISECONDS)) {
        log.debug("Not listening yet, polling meanwhile");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean hears() {
    return hears;
  }

  private void listen() {
    try {
      while (!closed) {
        listenOnce();
      }
    } finally {
      hears = false;
    }
  }

  private void listenOnce() {
    try (Loan taken = database.take("listen for wake-ups")) {
      taken.run(this::hear);
    } catch (Throwable e) { // also an OutOfMemoryError: nobody would start this thread again
      hears = false;
      if (!closed) {
        tell(e);
        pause();
      }
    }
  }

  private static void tell(Throwable failure) {
    try {
      if (failure instanceof SQLException || failure instanceof StoreException) {
        log.debug("Not listening, polling meanwhile: {}", failure.getMessage());
      } else {
        log.warn("Not listening, polling meanwhile", failure);
      }
    } catch (Throwable e) {
      // no memory for a line of the log
    }
  }

  private boolean hear(Connection taken) throws SQLException {
    PGConnection postgres = taken.unwrap(PGConnection.class);
    try (Statement statement = taken.createStatement()) {
      statement.execute("listen " + Hint.CHANNEL);
    }
    if (listening.getCount() == 0) {
      reconnected.run();
    }
    listening.countDown();
    Thread.startVirtualThread(this::greet); // the pool may be empty for a while
    long heardAt = System.nanoTime();
    while (!closed) {
      PGNotification[] notifications = postgres.getNotifications(WAIT_MS);
      if (notifications == null || notifications.length == 0) {
        if (System.nanoTime() - heardAt > SILENCE_NANOS) {
          checkAlive(taken);
          heardAt = System.nanoTime();
        }
      } else {
        heardAt = System.nanoTime();
        hears = true;
        for (PGNotification notification : notifications) {
          if (!ours.test(notification.getPID())) {
            Hint.parse(notification.getParameter()).ifPresent(heard);
          }
        }
      }
    }
    try (Statement statement = taken.createStatement()) {
      // the connection goes back to the pool as it came
      return statement.execute("unlisten " + Hint.CHANNEL);
    }
  }

  /** From another connection, to find out whether this one hears. */
  private void greet() {
    try {
      database.connected(
          "greet",
          connection -> {
            try (Statement statement = connection.createStatement()) {
              return statement.execute("notify " + Hint.CHANNEL + ", '" + GREETING + "'");
            }
          });
    } catch (StoreException e) {
      log.debug("Not known whether wake-ups arrive: {}", e.getMessage());
    }
  }

  /** Silence may mean that nothing happens or that the network is gone. */
  private static void checkAlive(Connection taken) throws SQLException {
    if (!taken.isValid(ANSWER_S)) {
      throw new SQLException("the connection does not answer");
    }
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the current look at the connection to end, so that it goes back unharmed. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
