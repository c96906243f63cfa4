package dev.berth;

import dev.berth.limit.Need;
import dev.berth.store.Held;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.view.Capacity;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session under which this process holds slots without tasks. A thread of its own renews it.
 * The store counts the lease from when it heard a heartbeat, we from when we sent it, and stop a
 * tenth earlier: so a slot is lost here before anybody else may have it. Once lost, it stays so.
 */
final class HoldSession implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HoldSession.class);
  private static final Capacity NO_TASKS = new Capacity(0, 0, 0);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

  private final Store store;
  private final Session session;
  private final Duration usableFor;
  private final AtomicLong numbers = new AtomicLong();
  private final Thread heartbeat;

  /**
   * Holds to be given up that the store could not be told of; it is told with a later heartbeat.
   */
  private final Set<Long> unreleased = ConcurrentHashMap.newKeySet();

  private long renewedAt;
  private boolean lost;

  private HoldSession(Store store, Session session, long sentAt) {
    this.store = store;
    this.session = session;
    this.usableFor = session.lease().multipliedBy(9).dividedBy(10);
    this.renewedAt = sentAt;
    this.heartbeat =
        Thread.ofPlatform().name("berth holds " + session.id()).daemon().unstarted(this::beat);
  }

  static HoldSession open(Store store, SessionRequest request) {
    long sentAt = System.nanoTime();
    HoldSession opened = new HoldSession(store, store.open(request), sentAt);
    opened.heartbeat.start();
    return opened;
  }

  /** The slots, if they are free; none where the session turns out to be lost. */
  Optional<Slot> hold(Need need) {
    long number = numbers.incrementAndGet();
    Held answer;
    try {
      answer = store.hold(session.id(), number, need);
    } catch (StoreException e) {
      unreleased.add(number); // it may have been done, and only the answer is missing
      throw e;
    }
    return switch (answer) {
      case Held.Done(long token) -> {
        if (isLive()) {
          yield Optional.of(new Slot(this, number, token, need));
        }
        release(number); // the answer took too long
        yield Optional.empty();
      }
      case Held.NoSlot() -> Optional.empty();
      case Held.SessionLost() -> {
        lose("the store has given its slots to others");
        yield Optional.empty();
      }
    };
  }

  /** Does not throw: what cannot be released now is released later, or lost with the session. */
  void release(long number) {
    try {
      store.release(session.id(), number);
      unreleased.remove(number);
    } catch (StoreException e) {
      unreleased.add(number);
      LOG.warn("Could not release a slot and will try again: {}", e.getMessage());
    }
  }

  synchronized boolean isLive() {
    if (!lost && !left().isPositive()) {
      lose("it could not be renewed in time");
    }
    return !lost;
  }

  /** How long it is live if it is not renewed any more. */
  synchronized Duration left() {
    return usableFor.minusNanos(System.nanoTime() - renewedAt);
  }

  /** Renews it; false where it is lost. */
  boolean renew() {
    long sentAt = System.nanoTime();
    if (!isLive()) {
      return false;
    }
    boolean alive = store.heartbeat(session.id(), NO_TASKS, Map.of()).alive();
    synchronized (this) {
      if (!alive) {
        lose("the store has given its slots to others");
      } else if (isLive()) {
        renewedAt = Math.max(renewedAt, sentAt);
      }
      return !lost;
    }
  }

  /** Ends it, and gives back whatever it holds. */
  @Override
  public void close() {
    heartbeat.interrupt();
    synchronized (this) {
      lost = true;
    }
    try {
      store.leave(session.id());
    } catch (StoreException e) {
      LOG.warn("Slots are given back when their lease ends: {}", e.getMessage());
    }
  }

  private synchronized void lose(String why) {
    if (!lost) {
      lost = true;
      LOG.warn("Session {} lost all slots it held without tasks: {}", session.id(), why);
    }
  }

  private void beat() {
    Duration interval = session.lease().dividedBy(3);
    Duration pause = interval;
    try {
      while (isLive()) {
        Thread.sleep(pause);
        try {
          pause = interval;
          renew();
          unreleased.forEach(this::release);
        } catch (RuntimeException e) {
          LOG.warn("Could not renew the slots of session {}: {}", session.id(), e.getMessage());
          pause = interval.compareTo(LONGEST_RETRY) < 0 ? interval : LONGEST_RETRY;
        }
      }
    } catch (InterruptedException e) {
      // closed
    }
  }
}
