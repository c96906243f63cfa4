package dev.berth.worker;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the one thread that waits for it; raised before the wait, it ends the wait at once. Cheap
 * to raise from many threads: no lock, and no system call while nobody waits.
 */
final class Signal {

  private volatile boolean raised;
  private volatile @Nullable Thread waiting;

  void raise() {
    raised = true;
    Thread thread = waiting;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Waits until raised or so many nanoseconds have passed, and lowers the signal again. */
  void await(long nanos) {
    long until = Ticks.plus(Ticks.now(), nanos);
    waiting = Thread.currentThread();
    try {
      for (long left = nanos; !raised && left > 0; left = until - Ticks.now()) {
        LockSupport.parkNanos(this, left);
        Thread.interrupted(); // an interrupt means nothing here and would make the loop spin
      }
    } finally {
      waiting = null;
      raised = false;
    }
  }
}
