package dev.berth.worker;

import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what happens and tells the listeners; what a listener throws is logged and harms nobody.
 */
final class Telemetry {

  private static final Logger LOG = LoggerFactory.getLogger(Telemetry.class);

  private final List<WorkerListener> listeners;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder released = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder exchanges = new LongAdder();
  private final LongAdder sessionsLost = new LongAdder();
  private volatile int slotDrift;

  Telemetry(List<WorkerListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void exchanged(int asked, int taken, int handedIn, long took) {
    exchanges.increment();
    claimed.add(taken);
    tell(each -> each.exchanged(asked, taken, handedIn, Duration.ofNanos(took)));
  }

  void started(Claim claim) {
    tell(each -> each.started(claim));
  }

  void ended(Claim claim, Outcome outcome, @Nullable Throwable failure, long ran) {
    if (failure != null) {
      tell(each -> each.failed(claim, outcome, failure));
    }
    tell(each -> each.ended(claim, outcome, Duration.ofNanos(ran)));
  }

  /** The outcome is durable. */
  void recorded(Outcome outcome) {
    switch (outcome) {
      case Outcome.Finished o -> finished.increment();
      case Outcome.Retrying o -> retried.increment();
      case Outcome.Failed o -> failed.increment();
      case Outcome.Released o -> released.increment();
      case Outcome.Cancelled o -> cancelled.increment();
    }
  }

  void stale(Claim claim) {
    stale.increment();
    tell(each -> each.stale(claim));
  }

  void sessionLost() {
    sessionsLost.increment();
    tell(WorkerListener::sessionLost);
  }

  /** So many counters of limits were wrong at the last look. */
  void drift(int counters) {
    slotDrift = counters;
  }

  WorkerStats stats(int inFlight) {
    return new WorkerStats(
        inFlight,
        claimed.sum(),
        finished.sum(),
        retried.sum(),
        failed.sum(),
        released.sum(),
        cancelled.sum(),
        stale.sum(),
        exchanges.sum(),
        sessionsLost.sum(),
        slotDrift);
  }

  private void tell(Consumer<WorkerListener> what) {
    for (WorkerListener each : listeners) {
      try {
        what.accept(each);
      } catch (RuntimeException | Error e) {
        LOG.warn("A worker listener failed", e);
      }
    }
  }
}
