package dev.berth.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends hints after the submit has committed. NOTIFY makes commits queue behind one another for the
 * whole database, so it is kept out of the submits: the first hint goes out at once, those that
 * come within the next few milliseconds share one notification per queue. Of work for which workers
 * of this process were told already the others are told a moment later: most likely it is taken by
 * then.
 */
final class HintSender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HintSender.class);
  private static final long PAUSE_MS = 5;
  private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Hints with the same key share one notification. */
  private record Key(String queue, int priority) {

    private static final int LATER = -3;
    private static final int STEPS = -4;

    static Key of(Hint hint) {
      return new Key(
          hint.queue(),
          switch (hint) {
            case Hint.Ready ready -> ready.priority();
            case Hint.Later later -> LATER;
            case Hint.Steps steps -> STEPS;
          });
    }
  }

  private final HeldConnection connection;
  private final Map<Key, Hint> waiting = new LinkedHashMap<>();
  private final Thread thread;
  private boolean urgent;
  private boolean closed;
  private volatile int backend;

  HintSender(HeldConnection connection) {
    this.connection = connection;
    this.thread = Thread.ofVirtual().name("berth-hints").start(this::sendAll);
  }

  /** Sends hints as part of the transaction on this connection: heard when it commits. */
  static void within(Connection connection, Collection<Hint> hints) throws SQLException {
    if (!hints.isEmpty()) {
      String[] payloads = hints.stream().map(Hint::payload).toArray(String[]::new);
      Database.run(
          connection,
          Statements.NOTIFY_WITHIN,
          statement -> {
            statement.setArray(1, connection.createArrayOf("text", payloads));
            return statement.execute();
          });
    }
  }

  /** Whether a notification comes from here, by the number of the server process that sent it. */
  boolean sent(int process) {
    return process == backend;
  }

  /**
   * @param atOnce else a moment later
   */
  synchronized void send(Collection<Hint> hints, boolean atOnce) {
    urgent |= atOnce;
    for (Hint hint : hints) {
      waiting.merge(Key.of(hint), hint, Hint::earlier);
    }
    notifyAll();
  }

  private void sendAll() {
    try {
      while (true) {
        List<Hint> next = next();
        if (next.isEmpty()) {
          return;
        }
        sendNow(next);
        TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized List<Hint> next() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    long until = System.nanoTime() + HEAD_START_NANOS;
    for (long left = HEAD_START_NANOS;
        left > 0 && !urgent && !closed;
        left = until - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    urgent = false;
    List<Hint> next = new ArrayList<>(waiting.values());
    waiting.clear();
    return next;
  }

  private void sendNow(List<Hint> hints) {
    String[] payloads = hints.stream().map(Hint::payload).toArray(String[]::new);
    try {
      connection.run(
          "send a wake-up",
          held -> {
            backend = held.unwrap(PGConnection.class).getBackendPID();
            return Database.run(
                held,
                Statements.NOTIFY,
                statement -> {
                  statement.setArray(1, held.createArrayOf("text", payloads));
                  return statement.execute();
                });
          });
    } catch (Throwable e) { // whatever it is: a hint may be lost, this thread not
      log.debug("A wake-up was not sent: {}", e.getMessage());
    }
  }

  /** Sends what is waiting, then ends. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connection.close();
  }
}
