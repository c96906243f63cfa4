package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Lease;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heart of a worker: one thread that hands in outcomes and takes new tasks, both in one call.
 *
 * <p><b>Batches make themselves.</b> While a call is under way handlers end; all of them go into
 * the next call, however many they are. A slow store so gets fewer and larger calls, a fast one
 * gets outcomes at once, and nothing needs to be tuned. The thread waits only when there is nothing
 * to say: no outcome, and no reason to think that a claim would find something. A reason is that
 * the last claim was filled, a hint, or the poll interval.
 *
 * <p><b>Permits.</b> A task is in flight from its claim until its outcome is durable, so that a
 * worker never has more than its maximum even while the store does not answer. Only this thread
 * claims and only this thread learns that an outcome is durable, so the semaphore is a plain
 * number. The permits of the outcomes in a request count as free for its claims, because both
 * happen in one step.
 *
 * <p><b>A call is repeated until it is answered, unchanged and under its number.</b> When a store
 * does not answer, nobody knows whether the call took place. If it did, its claims are ours and run
 * nowhere; asking something else would leave them so for as long as the session lives. The repeat
 * returns them, and since nothing was started before the first answer, each is started once. Even
 * when the lease has run out meanwhile the call is repeated: handlers are stopped by then, yet
 * outcomes of those that ended before may still be accepted, which the store decides.
 *
 * <p><b>When the session is lost</b> its handlers have been stopped by whoever noticed. What they
 * return is void; they keep their permits until they return, for a thread that runs on is still in
 * flight. What ended before is handed in, then the session is left, so that the store need not wait
 * for it to expire, and a new one is opened.
 */
final class ExchangeLoop extends Loop {

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeLoop.class);
  private static final long UNTIL_RAISED = TimeUnit.MINUTES.toNanos(1);

  /** What stop has reached. */
  private enum Phase {
    WORKING,
    /** No claims any more; handlers go on. */
    DRAINING,
    /** Handlers are over or given up: hand in what is there, and go. */
    LEAVING
  }

  /** A call and the attempts whose outcomes it carries. */
  private record Call(ExchangeRequest request, List<Attempt> handedIn) {}

  private final Store store;
  private final Sessions sessions;
  private final QueueOrder queues;
  private final Runner runner;
  private final Throttle throttle;
  private final LookOut lookOut;
  private final Sweeper sweeper;
  private final Telemetry telemetry;
  private final Outage outage;
  private final CountDownLatch drained = new CountDownLatch(1);
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile Phase phase = Phase.WORKING;
  private volatile long leaveBy = Ticks.NEVER;

  /** Attempts that are over and wait for the next call. */
  private final List<Attempt> ended = new ArrayList<>();

  /** Outcomes of a call that the store called wrong: handed in one by one, to find which. */
  private final Deque<Attempt> suspects = new ArrayDeque<>();

  /** The call that is under way, until it is answered. */
  private @Nullable Call call;

  private long number;

  /** Whether the last claim was filled, so that there is likely more. */
  private boolean backlog;

  ExchangeLoop(
      Store store,
      Sessions sessions,
      QueueOrder queues,
      Runner runner,
      Throttle throttle,
      LookOut lookOut,
      Sweeper sweeper,
      Telemetry telemetry) {
    super("berth exchange " + sessions.worker(), true, lookOut.signal());
    this.store = store;
    this.sessions = sessions;
    this.queues = queues;
    this.runner = runner;
    this.throttle = throttle;
    this.lookOut = lookOut;
    this.sweeper = sweeper;
    this.telemetry = telemetry;
    this.outage = Outage.of("worker " + sessions.worker() + " cannot exchange");
  }

  int inFlight() {
    return inFlight.get();
  }

  /** Opens the first session; a store that does not answer yet is tried again by the loop. */
  void openFirst() {
    try {
      open();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      outage.failed(e);
    }
  }

  /** Claims no more. */
  void drain() {
    phase = Phase.DRAINING;
    raise();
  }

  /** Waits until nothing is in flight any more. */
  boolean awaitDrained(Duration longest) throws InterruptedException {
    return drained.await(Ticks.nanos(longest), TimeUnit.NANOSECONDS);
  }

  /** Hands in what there is, leaves the session and ends; gives up after this time. */
  void leave(Duration longest) {
    leaveBy = Ticks.after(longest);
    phase = Phase.LEAVING;
    raise();
  }

  @Override
  long turn() {
    long pause = outage.pause();
    if (pause > 0 && Ticks.now() < leaveBy) {
      return pause;
    }
    try {
      long wait = step();
      if (phase != Phase.WORKING && inFlight.get() == 0) {
        drained.countDown();
      }
      return wait;
    } catch (RuntimeException e) {
      return failed(e);
    }
  }

  private long step() {
    LiveSession session = sessions.current();
    collectEnded(session);
    if (session == null) {
      return withoutSession();
    }
    if (call == null) {
      long wait = nextCall(session);
      if (call == null) {
        return wait;
      }
    }
    exchange(session, call);
    return 0;
  }

  private long withoutSession() {
    return switch (phase) {
      case WORKING -> {
        open();
        yield 0;
      }
      case DRAINING -> UNTIL_RAISED;
      case LEAVING -> {
        end();
        yield 0;
      }
    };
  }

  private void open() {
    sessions.open();
    outage.over();
    number = 0;
    backlog = true; // unknown: look at once
  }

  /** Decides what to ask for next, if anything; else says how long to wait. */
  private long nextCall(LiveSession session) {
    if (!suspects.isEmpty()) {
      prepare(session, List.of(suspects.remove()), 0);
    } else if (phase == Phase.WORKING && session.live()) {
      return nextClaim(session);
    } else if (!ended.isEmpty()) {
      prepare(session, takeEnded(), 0);
    } else if (phase == Phase.LEAVING || !session.live()) {
      sessions.leave(session);
      outage.over();
    } else {
      return UNTIL_RAISED;
    }
    return 0;
  }

  private long nextClaim(LiveSession session) {
    if (ended.isEmpty()) {
      if (room() == 0) {
        return UNTIL_RAISED;
      }
      long wait = backlog ? 0 : lookOut.next() - Ticks.now();
      if (wait > 0) {
        return wait;
      }
    } else if (backlog) {
      gather(session);
    }
    int claims = throttle.claimSize(room());
    prepare(session, takeEnded(), claims);
    return 0;
  }

  /** Permits that the next call can fill, those of the outcomes it hands in included. */
  private int room() {
    return throttle.max() - inFlight.get() + ended.size();
  }

  private void gather(LiveSession session) {
    long wait = throttle.gathering(room());
    if (wait > 0) {
      LockSupport.parkNanos(wait); // deaf to the signal: each ended handler would raise it
      collectEnded(session);
    }
  }

  private void prepare(LiveSession session, List<Attempt> handedIn, int claims) {
    List<Ended> outcomes = new ArrayList<>(handedIn.size());
    for (Attempt attempt : handedIn) {
      outcomes.add(new Ended(attempt.lease(), requireNonNull(attempt.outcome())));
    }
    if (claims > 0) {
      lookOut.looking();
    }
    List<String> order = queues.draw(ThreadLocalRandom.current());
    call =
        new Call(new ExchangeRequest(session.id(), number + 1, outcomes, claims, order), handedIn);
  }

  private void exchange(LiveSession session, Call made) {
    long began = Ticks.now();
    Exchanged answer;
    try {
      answer = store.exchange(made.request());
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.INVALID || made.handedIn().isEmpty()) {
        throw e;
      }
      call = null; // it did not take place, so its number is free
      refused(made.handedIn(), e);
      return;
    }
    long took = Ticks.now() - began;
    call = null;
    number++;
    outage.over();
    throttle.answered(took);
    switch (answer) {
      case Exchanged.Done done -> {
        settle(session, made, done);
        int taken = done.claims().size();
        telemetry.exchanged(made.request().claims(), taken, made.handedIn().size(), took);
      }
      case Exchanged.SessionLost lost -> {
        session.lose("the store has given its tasks to others");
        made.handedIn().forEach(this::drop);
        takeEnded().forEach(this::drop);
        suspects.forEach(this::drop);
        suspects.clear();
        sessions.gone();
      }
    }
  }

  private void settle(LiveSession session, Call made, Exchanged.Done done) {
    Set<Lease> stale = Set.copyOf(done.stale());
    Duration retryIn = null;
    for (Attempt attempt : made.handedIn()) {
      if (stale.contains(attempt.lease())) {
        drop(attempt);
        continue;
      }
      inFlight.decrementAndGet();
      Outcome outcome = requireNonNull(attempt.outcome());
      telemetry.recorded(outcome);
      if (outcome instanceof Outcome.Retrying retry
          && (retryIn == null || retry.delay().compareTo(retryIn) < 0)) {
        retryIn = retry.delay();
      }
    }
    if (retryIn != null) {
      sweeper.due(retryIn);
    }
    int asked = made.request().claims();
    if (asked > 0) {
      backlog = done.claims().size() >= asked;
      lookOut.looked();
    }
    start(session, done.claims());
    session.cancel(done.cancelled());
  }

  private void start(LiveSession session, List<Claim> claims) {
    if (!session.live()) {
      return; // they go back when the session is left
    }
    inFlight.addAndGet(claims.size());
    boolean working = phase == Phase.WORKING;
    for (Claim claim : claims) {
      if (working) {
        runner.start(claim, session);
      } else {
        runner.release(claim, session);
      }
    }
  }

  private void collectEnded(@Nullable LiveSession session) {
    for (Attempt attempt : runner.takeEnded()) {
      if (attempt.outcome() == null) {
        inFlight.decrementAndGet(); // its session was lost while it ran
      } else if (attempt.session() != session) {
        drop(attempt);
      } else {
        ended.add(attempt);
      }
    }
  }

  private List<Attempt> takeEnded() {
    List<Attempt> all = List.copyOf(ended);
    ended.clear();
    return all;
  }

  /** The outcome cannot be recorded: the task belongs to others. */
  private void drop(Attempt attempt) {
    inFlight.decrementAndGet();
    telemetry.stale(attempt.claim());
  }

  /**
   * The store calls the request wrong. One outcome must not keep the others from being recorded: so
   * they go one by one, and one that is refused alone is replaced by a failure that says so.
   */
  private void refused(List<Attempt> handedIn, StoreException e) {
    if (handedIn.size() > 1) {
      suspects.addAll(handedIn);
      return;
    }
    Attempt attempt = handedIn.getFirst();
    LOG.error("The store refused the outcome of {}: {}", attempt, e.getMessage());
    if (attempt.outcome() instanceof Outcome.Failed) {
      inFlight.decrementAndGet(); // nothing else can be said of it; it goes back at the end
      return;
    }
    String error = "The store refused the outcome of this attempt: " + e.getMessage();
    attempt.outcome(new Outcome.Failed(ErrorText.clean(error)));
    suspects.add(attempt);
  }

  private long failed(RuntimeException e) {
    outage.failed(e);
    if (Ticks.now() >= leaveBy) {
      LOG.warn(
          "Worker {} ends while the store does not answer: outcomes of {} tasks are not recorded,"
              + " and they run again when its session expires",
          sessions.worker(),
          inFlight.get());
      end();
    }
    return outage.pause();
  }
}
