package dev.berth;

import dev.berth.store.Store;
import dev.berth.store.Store.Subscription;
import dev.berth.store.WakeUp;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Hears for all who wait in this process that slots may be free. Listens once somebody waits. */
final class FreedSlots implements AutoCloseable {

  private final Store store;
  private final String queue;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private @Nullable Subscription subscription;
  private long heard;

  /**
   * @param queue what the sessions read that wait for slots
   */
  FreedSlots(Store store, String queue) {
    this.store = store;
    this.queue = queue;
  }

  /** How often slots were free so far: to be asked before one looks whether they are. */
  long heard() {
    lock.lock();
    try {
      if (subscription == null) {
        subscription = store.onWork(this::hear);
      }
      return heard;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until slots are free once more, but no longer than this. */
  void await(long before, Duration longest) throws InterruptedException {
    long left = longest.toNanos();
    lock.lockInterruptibly();
    try {
      while (heard == before && left > 0) {
        left = more.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A wake-up without a queue says that others may have been lost. */
  private void hear(WakeUp wakeUp) {
    if (wakeUp.now() && (wakeUp.queue().equals(queue) || wakeUp.queue().isEmpty())) {
      lock.lock();
      try {
        heard++;
        more.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (subscription != null) {
        subscription.close();
        subscription = null;
      }
      heard++;
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
