package dev.berth;

import dev.berth.limit.Need;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.worker.WorkerName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes slots without a task, under one session of this process. Safe to share between threads. */
final class Holds {

  /** No queue of tasks: who frees slots wakes the sessions that wait for them by what they read. */
  private static final String NO_QUEUE = "holds";

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Store store;
  private final Duration lease;
  private final Duration lookAgain;
  private final FreedSlots freed;
  private @Nullable HoldSession session;
  private boolean closed;
  private long sweptAt = System.nanoTime() - SWEEP_NANOS;

  Holds(Store store, Duration lease, Duration lookAgain) {
    this.store = store;
    this.lease = lease;
    this.lookAgain = lookAgain;
    this.freed = new FreedSlots(store, NO_QUEUE);
  }

  /** Waits for the slots, and takes them together. */
  Slot acquire(Need need, Duration longest) throws InterruptedException {
    long began = System.nanoTime();
    Optional<Slot> slot = take(need);
    while (slot.isEmpty()) {
      long before = freed.heard();
      slot = take(need);
      if (slot.isEmpty()) {
        Duration left =
            longest.isNegative() ? longest : longest.minusNanos(System.nanoTime() - began);
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

  /** The slots, if they are free. */
  Optional<Slot> tryAcquire(Need need) {
    return take(need);
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
