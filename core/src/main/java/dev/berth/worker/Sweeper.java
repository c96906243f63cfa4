package dev.berth.worker;

import dev.berth.store.Store;
import dev.berth.store.Swept;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps about every second, at the moment the next task or schedule is due, and without wake-ups
 * as often as the worker polls. Every worker does: a sweep is harmless from any number of
 * processes, and with no leader there is none to fail.
 */
final class Sweeper extends Loop {

  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  /** Due times are heard of by wake-ups; this often a sweep looks for what was not heard. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Keeps due times that lie close together from making a storm of sweeps. */
  private static final long SHORTEST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);

  /** After so many sweeps in a row that found nothing, whoever asked for them, */
  private static final int IN_VAIN = 10;

  /** this is the shortest: any role of the database can send hints. */
  private static final long SHORTEST_IN_VAIN = TimeUnit.MILLISECONDS.toNanos(50);

  /** Keeps workers that heard of the same due time from sweeping in the same instant. */
  private static final long DUE_JITTER = TimeUnit.MILLISECONDS.toNanos(2);

  private final Store store;
  private final long interval;
  private final LookOut lookOut;
  private final DriftWatch drift;
  private final DueSchedules schedules;
  private final AtomicLong dueAt = new AtomicLong(Ticks.NEVER);
  private volatile long regularAt;
  private final Outage outage;
  private long notBefore;
  private int inVain;

  Sweeper(WorkerSettings settings, Store store, LookOut lookOut, Telemetry telemetry) {
    super("berth sweeper " + settings.name(), true, new Signal());
    this.store = store;
    this.lookOut = lookOut;
    this.drift = new DriftWatch(store, telemetry);
    this.schedules = new DueSchedules(store, this::due);
    this.interval = Ticks.nanos(settings.wakeUps() ? INTERVAL : settings.pollInterval());
    this.outage = Outage.quiet("worker " + settings.name() + " cannot sweep");
  }

  /** A task or a schedule is due after this time. */
  void due(Duration in) {
    long at = Ticks.plus(Ticks.after(in), ThreadLocalRandom.current().nextLong(DUE_JITTER));
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
    regularAt = Ticks.plus(Ticks.now(), jittered(interval));
    try {
      sweep();
      drift.look();
      outage.over();
    } catch (RuntimeException e) {
      outage.failed(e);
    }
    long shortest = inVain < IN_VAIN ? SHORTEST_INTERVAL : SHORTEST_IN_VAIN;
    long pause = Math.max(shortest, outage.pause());
    notBefore = Ticks.plus(Ticks.now(), pause);
    return pause;
  }

  private void sweep() {
    Swept swept = store.sweep();
    boolean submitted = schedules.advance(swept.schedules());
    boolean found = submitted || swept.promoted() > 0 || swept.sessionsExpired() > 0;
    inVain = found ? 0 : Math.min(IN_VAIN, inVain + 1);
    if (submitted || swept.promoted() > 0 || swept.tasksReturned() > 0) {
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

  private static long jittered(long nanos) {
    return nanos - nanos / 10 + ThreadLocalRandom.current().nextLong(nanos / 5);
  }
}
