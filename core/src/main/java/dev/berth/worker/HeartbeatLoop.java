package dev.berth.worker;

import dev.berth.store.Capacity;
import dev.berth.store.Heartbeat;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the session alive on a thread of its own, so that neither handlers nor a long exchange can
 * starve it. What comes of heartbeats that fail is up to {@link Deadlines}.
 */
final class HeartbeatLoop extends Loop {

  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatLoop.class);
  private static final long LONGEST_RETRY = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private final Sessions sessions;
  private final Supplier<Capacity> capacity;
  private final long interval;

  HeartbeatLoop(Store store, Sessions sessions, Supplier<Capacity> capacity, Duration interval) {
    super("berth heartbeat " + sessions.worker(), true, new Signal());
    this.store = store;
    this.sessions = sessions;
    this.capacity = capacity;
    this.interval = Ticks.nanos(interval);
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
      return Math.max(1, sentAt + interval - Ticks.now());
    } catch (StoreException e) {
      LOG.debug("A heartbeat failed and is tried again: {}", e.getMessage());
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
    progress.forEach(Attempt::progressTold);
    current.cancel(answer.cancelled());
  }
}
