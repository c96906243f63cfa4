package dev.berth;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.LimitView;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.worker.WorkerName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Slots for any code, without a task: they are those that tasks take, counted together, on all
 * machines. Safe to share between threads.
 *
 * <pre>{@code
 * try (Slot slot = berth.limits().acquire(gpu, Duration.ofSeconds(5))) {
 *   render(scene, slot.token());
 * }
 * }</pre>
 */
public final class Limits {

  /** How long slots stay held after their process has died. */
  static final Duration LEASE = Duration.ofSeconds(30);

  /** No queue of tasks: who frees slots wakes the sessions that wait for them by what they read. */
  private static final String NO_QUEUE = "holds";

  /** Whoever waits is woken when slots are free; this often it looks in case that got lost. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Store store;
  private final Duration lease;
  private final Duration lookAgain;
  private final FreedSlots freed;
  private @Nullable HoldSession session;
  private boolean closed;
  private long sweptAt = System.nanoTime() - SWEEP_NANOS;

  Limits(Store store) {
    this(store, LEASE);
  }

  Limits(Store store, Duration lease) {
    this(store, lease, LOOK_AGAIN);
  }

  Limits(Store store, Duration lease, Duration lookAgain) {
    this.store = store;
    this.lease = lease;
    this.lookAgain = lookAgain;
    this.freed = new FreedSlots(store, NO_QUEUE);
  }

  /**
   * Waits for a slot.
   *
   * @throws AcquireTimeoutException if none was free in time
   */
  public Slot acquire(Limit limit, Duration longest) throws InterruptedException {
    return acquire(limit, 1, longest);
  }

  /** Waits for so many slots, and takes them together. */
  public Slot acquire(Limit limit, int weight, Duration longest) throws InterruptedException {
    Need need = Need.of(limit, weight);
    long began = System.nanoTime();
    Optional<Slot> slot = take(need);
    while (slot.isEmpty()) {
      long before = freed.heard();
      slot = take(need);
      if (slot.isEmpty()) {
        Duration left = longest.minusNanos(System.nanoTime() - began);
        if (!left.isPositive()) {
          throw new AcquireTimeoutException(need, longest);
        }
        Duration pause = jittered(lookAgain);
        freed.await(before, left.compareTo(pause) < 0 ? left : pause);
      }
    }
    return slot.get();
  }

  private static Duration jittered(Duration pause) {
    return pause.minusNanos(ThreadLocalRandom.current().nextLong(pause.toNanos() / 2));
  }

  /** A slot, if one is free. It may be refused while somebody else just takes or gives one back. */
  public Optional<Slot> tryAcquire(Limit limit) {
    return tryAcquire(limit, 1);
  }

  public Optional<Slot> tryAcquire(Limit limit, int weight) {
    return take(Need.of(limit, weight));
  }

  /** The limit as it is now, with everybody who holds slots of it: task, worker and expiry. */
  public Optional<LimitView> status(LimitKey key) {
    return store.reader().limits().stream().filter(limit -> limit.key().equals(key)).findFirst();
  }

  /**
   * Gives back what dead processes held; returns how many of them there were. Workers do that by
   * themselves, and so does whoever asks for a slot in vain.
   */
  public int cleanupExpired() {
    return store.sweep().sessionsExpired();
  }

  /** Gives back all slots. */
  void close() {
    HoldSession open;
    synchronized (this) {
      closed = true;
      open = session;
      session = null;
    }
    freed.close();
    if (open != null) {
      open.close();
    }
  }

  private Optional<Slot> take(Need need) {
    HoldSession live = session();
    Optional<Slot> slot = live.hold(need);
    if (slot.isEmpty() && !live.isLive()) {
      slot = session().hold(need);
    }
    if (slot.isEmpty() && sweepIsDue()) {
      store.sweep(); // there may be no worker to do it
      slot = session().hold(need);
    }
    return slot;
  }

  private synchronized HoldSession session() {
    if (closed) {
      throw new IllegalStateException("This Berth is closed");
    }
    HoldSession live = session;
    if (live == null || !live.isLive()) {
      String name = WorkerName.next();
      live =
          HoldSession.open(store, new SessionRequest(name, List.of(), List.of(NO_QUEUE), lease, 0));
      session = live;
    }
    return live;
  }

  private synchronized boolean sweepIsDue() {
    long now = System.nanoTime();
    boolean due = now - sweptAt >= SWEEP_NANOS;
    sweptAt = due ? now : sweptAt;
    return due;
  }
}
