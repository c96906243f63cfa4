package dev.berth.worker;

import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.Swept;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps about every second, and at the moment the next task is due. Every worker does: a sweep is
 * harmless from any number of processes, and with no leader there is none to fail.
 */
final class Sweeper extends Loop {

  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

  /** Keeps due times that lie close together from making a storm of sweeps. */
  private static final long SHORTEST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);

  private final Store store;
  private final LookOut lookOut;
  private final AtomicLong dueAt = new AtomicLong(Ticks.NEVER);
  private volatile long regularAt;
  private long notBefore;
  private int failures;

  Sweeper(String worker, Store store, LookOut lookOut) {
    super("berth sweeper " + worker, true, new Signal());
    this.store = store;
    this.lookOut = lookOut;
  }

  /** A task is due after this time. */
  void due(Duration in) {
    long at = Ticks.after(in);
    if (dueAt.getAndAccumulate(at, Math::min) > at && at < regularAt) {
      raise();
    }
  }

  @Override
  long turn() {
    long wait = Math.max(notBefore, Math.min(regularAt, dueAt.get())) - Ticks.now();
    if (wait > 0) {
      return wait;
    }
    dueAt.set(Ticks.NEVER); // first, so that a due time told meanwhile is not forgotten
    regularAt = Ticks.plus(Ticks.now(), jittered(INTERVAL));
    try {
      sweep();
      failures = 0;
      notBefore = Ticks.plus(Ticks.now(), SHORTEST_INTERVAL);
    } catch (StoreException e) {
      failed(e);
    }
    return 1;
  }

  private void sweep() {
    Swept swept = store.sweep();
    if (swept.promoted() > 0 || swept.tasksReturned() > 0) {
      lookOut.hint();
    }
    if (swept.sessionsExpired() > 0) {
      LOG.info(
          "Found {} dead sessions; {} of their tasks may run again",
          swept.sessionsExpired(),
          swept.tasksReturned());
    }
    if (swept.nextDue() != null) {
      due(swept.nextDue());
    }
  }

  /** The exchange loop tells of a store that does not answer; here only what is not that. */
  private void failed(StoreException e) {
    failures++;
    if (failures == 1 && e.kind() != StoreException.Kind.UNAVAILABLE) {
      LOG.warn("A sweep failed and is tried again: {}", e.getMessage());
    }
    notBefore =
        Ticks.plus(Ticks.now(), Backoff.afterFailures(failures, ThreadLocalRandom.current()));
  }

  private static long jittered(long nanos) {
    return nanos - nanos / 10 + ThreadLocalRandom.current().nextLong(nanos / 5);
  }
}
