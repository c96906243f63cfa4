package dev.berth.postgres;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Ends a statement that goes on after its timeout: one that catches the server's wish to stop, or
 * has set the timeout anew.
 */
final class Deadline implements AutoCloseable {

  /** How long the server has to stop a statement before its connection is ended. */
  static final Duration GRACE = Duration.ofSeconds(3);

  private final long timeoutMs;
  private final Thread watch;
  private volatile boolean passed;

  Deadline(long timeoutMs, Runnable end) {
    this.timeoutMs = timeoutMs;
    this.watch =
        Thread.ofVirtual()
            .name("berth sql deadline")
            .start(() -> {
              try {
                Thread.sleep(GRACE.plusMillis(timeoutMs));
              } catch (InterruptedException e) {
                return; // it stopped in time
              }
              passed = true;
              end.run();
            });
  }

  /** What to say of an error of the statement: this one, if it was ended. */
  SQLException cause(SQLException error) {
    return passed
        ? new SQLException(
            "The statement did not stop after its timeout of "
                + BigDecimal.valueOf(timeoutMs, 3).stripTrailingZeros().toPlainString()
                + " s: its connection was ended",
            "57014",
            error)
        : error;
  }

  /** Returns once nothing is ended any more. */
  @Override
  public void close() {
    if (!passed) {
      watch.interrupt();
    }
    try {
      watch.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
