package dev.berth.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stops handlers whose time is up: one whose timeout has come, all of them when the lease is about
 * to run out. Never calls the store, so a store that hangs cannot keep it from doing so.
 *
 * <p>There is no timer per task. The loop knows the earliest deadline that may exist, looks through
 * the running handlers when it has come, and so learns the next one; tasks that end in time cost
 * nothing.
 */
final class Deadlines extends Loop {

  /** A look through all handlers at most this often. */
  private static final long SHORTEST_WAIT = TimeUnit.MILLISECONDS.toNanos(2);

  /** Until there is a session again. */
  private static final long WITHOUT_SESSION = TimeUnit.MILLISECONDS.toNanos(20);

  private final Sessions sessions;
  private final AtomicLong earliest = new AtomicLong(Ticks.NEVER);

  /** It is what keeps the process alive until the worker is stopped. */
  Deadlines(Sessions sessions) {
    super("berth deadlines " + sessions.worker(), false, new Signal());
    this.sessions = sessions;
  }

  /** An attempt must have ended by this tick. */
  void watch(long deadline) {
    if (lower(deadline)) {
      raise();
    }
  }

  @Override
  long turn() {
    LiveSession current = sessions.current();
    if (current == null || !current.live()) {
      return WITHOUT_SESSION;
    }
    long now = Ticks.now();
    if (now >= current.deadline()) {
      current.lose("its lease could not be renewed in time");
      return 0;
    }
    if (now >= earliest.get()) {
      stopOverdue(current, now);
    }
    long next = Math.min(current.deadline(), earliest.get());
    return Math.max(SHORTEST_WAIT, next - now);
  }

  private void stopOverdue(LiveSession current, long now) {
    earliest.set(Ticks.NEVER); // first, so that a deadline set meanwhile is not forgotten
    long next = Ticks.NEVER;
    for (Attempt attempt : current.running()) {
      if (attempt.deadline() <= now) {
        attempt.stop(Attempt.Phase.TIMED_OUT);
      } else {
        next = Math.min(next, attempt.deadline());
      }
    }
    lower(next);
  }

  private boolean lower(long deadline) {
    return earliest.getAndAccumulate(deadline, Math::min) > deadline;
  }
}
