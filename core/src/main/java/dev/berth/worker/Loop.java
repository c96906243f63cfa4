package dev.berth.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that takes turns and waits between them; nothing that goes wrong in a turn ends it. */
abstract class Loop {

  private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
  private static final long AFTER_A_BUG = TimeUnit.SECONDS.toNanos(1);

  private final Signal signal;
  private final Thread thread;
  private volatile boolean ended;

  /**
   * @param daemon whether the process may end while the loop is on
   * @param signal makes the next turn come at once
   */
  Loop(String name, boolean daemon, Signal signal) {
    this.signal = signal;
    thread = Thread.ofPlatform().name(name).daemon(daemon).unstarted(this::run);
  }

  /** Does what is to be done now and says how many nanoseconds to wait for the next turn. */
  abstract long turn();

  final void start() {
    thread.start();
  }

  /** Makes the next turn come at once. */
  final void raise() {
    signal.raise();
  }

  /** No further turn; one that is on goes to its end. */
  final void end() {
    ended = true;
    signal.raise();
  }

  /** Waits for the last turn, but not for ever: a store may hang. Says whether it is over. */
  final boolean join(Duration longest) throws InterruptedException {
    return thread.join(longest);
  }

  private void run() {
    while (!ended) {
      long wait = guardedTurn();
      if (wait > 0 && !ended) {
        signal.await(wait);
      }
    }
  }

  private long guardedTurn() {
    try {
      return turn();
    } catch (Throwable e) { // also an OutOfMemoryError: the other tasks must go on
      LOG.error("Unexpected failure in {}; it goes on", thread.getName(), e);
      return AFTER_A_BUG;
    }
  }
}
