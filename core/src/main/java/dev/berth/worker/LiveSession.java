package dev.berth.worker;

import dev.berth.store.Lease;
import dev.berth.store.Session;
import dev.berth.store.SizeCap;
import dev.berth.view.SessionId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A session as its worker sees it: the handlers running under it and how long they may. The store
 * counts the lease from when it heard a heartbeat, the worker from when it sent it, and stops a
 * tenth earlier: so it stops its handlers before anyone else may start their tasks.
 */
final class LiveSession {

  private enum State {
    LIVE,
    LOST,
    LEFT
  }

  private static final int MARGIN_PART = 10;

  private final SessionId id;
  private final SizeCap cap;
  private final long usableFor;
  private final Consumer<String> whenLost;
  private final Map<Lease, Attempt> running = new ConcurrentHashMap<>();
  private final AtomicReference<State> state = new AtomicReference<>(State.LIVE);
  private volatile long deadline;

  /**
   * @param sentAt when the worker asked for it
   * @param whenLost told why, once
   */
  LiveSession(Session session, long sentAt, Consumer<String> whenLost) {
    long lease = Ticks.nanos(session.lease());
    this.id = session.id();
    this.cap = session.cap();
    this.usableFor = lease - lease / MARGIN_PART;
    this.whenLost = whenLost;
    this.deadline = Ticks.plus(sentAt, usableFor);
  }

  SessionId id() {
    return id;
  }

  /** What results may have. */
  SizeCap cap() {
    return cap;
  }

  /** From this tick on its handlers may not run any more, unless it is renewed before. */
  long deadline() {
    return deadline;
  }

  boolean live() {
    return state.get() == State.LIVE;
  }

  void renewed(long sentAt) {
    deadline = Ticks.plus(sentAt, usableFor);
  }

  Collection<Attempt> running() {
    return running.values();
  }

  /** Starts the handler; one that starts while the session is being lost is stopped at once. */
  void start(Attempt attempt, Thread thread) {
    attempt.thread(thread);
    running.put(attempt.lease(), attempt);
    thread.start();
    if (state.get() == State.LOST) {
      attempt.lose();
    }
  }

  void ended(Attempt attempt) {
    running.remove(attempt.lease());
  }

  /** Someone cancelled these; those that have ended in the meantime have won. */
  void cancel(List<Lease> leases) {
    for (Lease lease : leases) {
      Attempt attempt = running.get(lease);
      if (attempt != null) {
        attempt.stop(Attempt.Phase.CANCELLED);
      }
    }
  }

  /** The tasks belong to others: all handlers are stopped, none of them has an outcome any more. */
  void lose(String why) {
    if (state.compareAndSet(State.LIVE, State.LOST)) {
      running.values().forEach(Attempt::lose);
      whenLost.accept(why);
    }
  }

  /** It is about to be left on purpose, so that nobody calls it lost. */
  void leave() {
    state.compareAndSet(State.LIVE, State.LEFT);
  }
}
