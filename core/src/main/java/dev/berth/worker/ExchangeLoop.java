package dev.berth.worker;

import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
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
 * <p><b>When the answer does not fit into memory</b> the call is repeated for an answer without
 * payloads, and what it claimed goes back unread.
 *
 * <p><b>When the session is lost</b> its handlers have been stopped by whoever noticed. What they
 * return is void; they keep their permits until they return, for a thread that runs on is still in
 * flight. What ended before is handed in, then the session is left, so that the store need not wait
 * for it to expire, and a new one is opened.
 */
final class ExchangeLoop extends Loop {

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeLoop.class);
  private static final long UNTIL_RAISED = TimeUnit.MINUTES.toNanos(1);

  /** How long outcomes may wait for others while standbys keep all slots busy. */
  private static final long LEISURE = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long GLANCE = TimeUnit.MILLISECONDS.toNanos(1);

  /** What stop has reached. */
  private enum Phase {
    WORKING,
    /** No claims any more; handlers go on. */
    DRAINING,
    /** Handlers are over or given up: hand in what is there, and go. */
    LEAVING
  }

  /** A call, the attempts whose outcomes it carries, and when it was made. */
  private record Call(ExchangeRequest request, List<Attempt> handedIn, long madeAt) {

    Call unread() {
      return new Call(request.unread(), handedIn, madeAt);
    }
  }

  private final Store store;
  private final Sessions sessions;
  private final QueueOrder queues;
  private final Outbox outbox;
  private final Standbys standbys;
  private final Throttle throttle;
  private final LookOut lookOut;
  private final Sweeper sweeper;
  private final Telemetry telemetry;
  private final Outage outage;
  private final CountDownLatch drained = new CountDownLatch(1);
  private volatile Phase phase = Phase.WORKING;
  private volatile long leaveBy = Ticks.NEVER;

  /** The call that is under way, until it is answered. */
  private @Nullable Call call;

  private long number;

  /** Whether the last claim was filled, so that there is likely more. */
  private boolean backlog;

  /** Claims that the store refuses go alone, from time to time; outcomes go without them. */
  private final Outage refusedClaims;

  private boolean claimsAlone;

  ExchangeLoop(
      Store store,
      Sessions sessions,
      QueueOrder queues,
      Outbox outbox,
      Standbys standbys,
      Throttle throttle,
      LookOut lookOut,
      Sweeper sweeper,
      Telemetry telemetry) {
    super("berth exchange " + sessions.worker(), true, lookOut.signal());
    this.store = store;
    this.sessions = sessions;
    this.queues = queues;
    this.outbox = outbox;
    this.standbys = standbys;
    this.throttle = throttle;
    this.lookOut = lookOut;
    this.sweeper = sweeper;
    this.telemetry = telemetry;
    this.outage = Outage.of("worker " + sessions.worker() + " cannot exchange");
    this.refusedClaims = Outage.of("worker " + sessions.worker() + " cannot claim");
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
    tellDrained();
    long pause = outage.pause();
    if (pause > 0) {
      return phase == Phase.LEAVING ? leavingDuringOutage(pause) : pause;
    }
    try {
      long wait = step();
      tellDrained();
      return wait;
    } catch (RuntimeException e) {
      outage.failed(e);
      return 1;
    }
  }

  private void tellDrained() {
    if (phase != Phase.WORKING && outbox.inFlight() == 0) {
      drained.countDown();
    }
  }

  /** With outcomes to hand in it is worth trying for a while; else the session may expire. */
  private long leavingDuringOutage(long pause) {
    int unrecorded = outbox.inFlight();
    long left = unrecorded == 0 ? 0 : leaveBy - Ticks.now();
    if (left > 0) {
      return Math.min(pause, left);
    }
    if (unrecorded > 0) {
      LOG.warn(
          "Worker {} ends while the store does not answer: outcomes of {} tasks are not recorded,"
              + " and they run again when its session expires",
          sessions.worker(),
          unrecorded);
    }
    end();
    return 0;
  }

  private long step() {
    LiveSession session = sessions.current();
    outbox.withdraw(session, phase == Phase.WORKING);
    outbox.collect(session);
    if (session == null) {
      return withoutSession();
    }
    if (call == null) {
      long wait = nextCall(session);
      if (call == null) {
        long next = Math.min(standbys.firstDeadline(), outbox.asideUntil());
        return Math.min(wait, Math.max(1, next - Ticks.now()));
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
    claimsAlone = false;
    backlog = true; // unknown: look at once
  }

  /** Decides what to ask for next, if anything; else says how long to wait. */
  private long nextCall(LiveSession session) {
    if (phase == Phase.WORKING && session.live() && !outbox.suspicious()) {
      return nextClaim(session);
    }
    if (outbox.size() > 0) {
      prepare(session, outbox.take(), false);
      return 0;
    }
    if (session.live() && (phase == Phase.DRAINING || outbox.asideUntil() < leaveBy)) {
      return UNTIL_RAISED;
    }
    sessions.leave(session);
    outage.over();
    return 0;
  }

  private long nextClaim(LiveSession session) {
    if (outbox.size() == 0) {
      boolean room = room(0) > 0 && throttle.claimBytes(outbox.sizeWithout(List.of())) > 0;
      long wait = room ? Math.max(untilNextLook(), refusedClaims.pause()) : UNTIL_RAISED;
      if (wait > 0) {
        return wait;
      }
    } else if (claimsAlone) {
      prepare(session, outbox.take(), false);
      return 0;
    } else if (backlog || outbox.leisurely()) {
      gather(session);
    }
    prepare(session, outbox.take(), true);
    return 0;
  }

  private long untilNextLook() {
    return backlog ? 0 : lookOut.next() - Ticks.now();
  }

  /** Permits that a call can fill, those of the outcomes it hands in included. */
  private int room(int handedIn) {
    return throttle.max() - outbox.inFlight() + handedIn;
  }

  /** Waits for more outcomes; deaf to the signal, since each ended handler would raise it. */
  private void gather(LiveSession session) {
    long wait = throttle.gathering(room(outbox.size()));
    if (wait > 0) {
      LockSupport.parkNanos(wait);
      outbox.collect(session);
    }
    long until = Ticks.now() + LEISURE;
    while (outbox.leisurely() && Ticks.now() < until && session.live()) {
      LockSupport.parkNanos(GLANCE);
      outbox.collect(session);
    }
  }

  private void prepare(LiveSession session, List<Attempt> handedIn, boolean claiming) {
    standbys.handingIn(handedIn);
    handedIn.forEach(Attempt::handIn);
    long bytes = throttle.claimBytes(outbox.sizeWithout(handedIn));
    int room = bytes > 0 ? room(handedIn.size()) : 0;
    int freed = (int) handedIn.stream().filter(attempt -> attempt.heir() == null).count();
    int claims = claiming ? throttle.claimSize(room, freed) : 0;
    int most = claiming ? throttle.most(room, claims) : 0;
    long horizon = 2 * (LEISURE + 2 * throttle.latency()); // twice what it takes as a rule
    Map<Attempt, Integer> wanted = standbys.wanted(handedIn, horizon, most - freed);
    ExchangeRequest.Ahead ahead = new ExchangeRequest.Ahead(standbys.ahead(horizon), most);
    long now = Ticks.now();
    List<Ended> outcomes = new ArrayList<>(handedIn.size());
    for (Attempt attempt : handedIn) {
      outcomes.add(attempt.told(now, wanted.getOrDefault(attempt, 0)));
    }
    if (claims > 0) {
      lookOut.looking();
    }
    List<String> order = queues.draw(ThreadLocalRandom.current());
    ExchangeRequest request =
        new ExchangeRequest(session.id(), number + 1, outcomes, claims, order, ahead, bytes);
    call = new Call(request, handedIn, now);
  }

  private void exchange(LiveSession session, Call made) {
    long began = Ticks.now();
    Exchanged answer;
    try {
      answer = store.exchange(made.request());
    } catch (StoreException e) {
      if (!e.refused()) {
        throw e;
      }
      call = null; // it did not take place, so its number is free
      refused(made, e);
      return;
    } catch (OutOfMemoryError e) {
      ranOut(made, e);
      return;
    }
    long took = Ticks.now() - began;
    call = null;
    number++;
    outage.over();
    throttle.answered(took);
    switch (answer) {
      case Exchanged.Done done -> {
        try {
          settle(session, made, done);
        } catch (RuntimeException | Error e) { // claims that nobody knows of would never run
          session.lose("what it claimed was lost here: " + e);
          throw e;
        }
        int claimed = done.claims().size();
        telemetry.exchanged(made.request().claims(), claimed, made.handedIn().size(), took);
      }
      case Exchanged.SessionLost lost -> {
        session.lose("the store has given its tasks to others");
        outbox.lost(made.handedIn());
        sessions.gone();
      }
    }
  }

  /** No outcome is blamed for claims, and none waits for them: from now on they go apart. */
  private void refused(Call made, StoreException e) {
    if (made.request().claims() == 0) {
      if (made.handedIn().isEmpty()) {
        throw e; // nothing in it could be refused: after a pause
      }
      outbox.refused(made.handedIn(), e);
      return;
    }
    claimsAlone = true;
    backlog = true; // unknown: what it looked for may be there
    if (made.handedIn().isEmpty()) {
      refusedClaims.failed(e);
    } else {
      outbox.again(made.handedIn());
    }
  }

  /** Whatever it claimed shall go back; the next claims are small. */
  private void ranOut(Call made, OutOfMemoryError e) {
    throttle.ranOut();
    if (made.request().bytes() == ExchangeRequest.UNREAD) {
      throw e; // not even without payloads: after a pause
    }
    call = made.unread();
    LOG.warn(
        "Worker {} has no memory for the tasks it claimed ({}): they go back, and it claims fewer",
        sessions.worker(),
        e.getMessage());
  }

  private void settle(LiveSession session, Call made, Exchanged.Done done) {
    if (done.refused() == null) {
      outbox
          .recorded(made.handedIn(), Set.copyOf(done.stale()), Set.copyOf(done.aside()))
          .ifPresent(sweeper::due);
    } else {
      outbox.refused(made.handedIn(), done.refused());
    }
    int asked = made.request().claims();
    if (asked > 0) {
      refusedClaims.over();
      claimsAlone = false;
      backlog = made.request().filledBy(done.claims(), done.aside().size());
      lookOut.looked(!done.claims().isEmpty());
    }
    if (done.again() != null) {
      lookOut.hintIn(done.again());
    }
    if (!session.live()) {
      return; // the claims go back when the session is left
    }
    if (made.request().bytes() == ExchangeRequest.UNREAD) {
      outbox.unread(done.claims(), session);
    } else if (phase == Phase.WORKING) {
      outbox.start(done.claims(), session, made.madeAt());
    } else {
      outbox.release(done.claims(), session);
    }
    session.cancel(done.cancelled());
    outbox.cancel(done.cancelled());
  }
}
