package dev.berth.worker;

import dev.berth.store.Heartbeat;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.view.Capacity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Keeps the session alive on a thread of its own, so that neither handlers nor a long exchange can
 * starve it. What comes of heartbeats that fail is up to {@link Deadlines}.
 */
final class HeartbeatLoop extends Loop {

  private static final long LONGEST_RETRY = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private final Sessions sessions;
  private final Supplier<Capacity> capacity;
  private final long interval;
  private final Outage outage;

  HeartbeatLoop(Store store, Sessions sessions, Supplier<Capacity> capacity, Duration interval) {
    super("berth heartbeat " + sessions.worker(), true, new Signal());
    this.store = store;
    this.sessions = sessions;
    this.capacity = capacity;
    this.interval = Ticks.nanos(interval);
    this.outage = Outage.quiet("worker " + sessions.worker() + " cannot renew its lease");
  }

  @Override
  long turn() {
    LiveSession current = sessions.current();
    if (current == null || !current.live()) {
      return interval;
    }
    long sentAt = Ticks.now();
    try {
      beat(current, sentAt);
      outage.over();
      return Math.max(1, sentAt + interval - Ticks.now());
    } catch (RuntimeException e) {
      outage.failed(e);
      return Math.min(interval, LONGEST_RETRY);
    }
  }

  private void beat(LiveSession current, long sentAt) {
    Map<Attempt, String> progress = new HashMap<>();
    Map<Lease, String> byLease = new HashMap<>();
    for (Attempt attempt : current.running()) {
      String text = attempt.freshProgress();
      if (text != null) {
        progress.put(attempt, text);
        byLease.put(attempt.lease(), text);
      }
    }
    Heartbeat answer = store.heartbeat(current.id(), capacity.get(), byLease);
    if (!answer.alive()) {
      current.lose("the store has given its tasks to others");
      return;
    }
    current.renewed(sentAt);
    progress.forEach((attempt, text) -> {
      if (!answer.untold().contains(attempt.lease())) {
        attempt.progressTold(text);
      }
    });
    current.cancel(answer.cancelled());
  }
}
