package dev.berth.worker;

import dev.berth.limit.Lane;
import dev.berth.limit.Need;
import dev.berth.store.Advance;
import dev.berth.store.Applied;
import dev.berth.store.Claim;
import dev.berth.store.Command;
import dev.berth.store.Ended;
import dev.berth.store.ExchangeRequest;
import dev.berth.store.Exchanged;
import dev.berth.store.Heartbeat;
import dev.berth.store.Held;
import dev.berth.store.Lease;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import dev.berth.task.Due;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import dev.berth.view.Capacity;
import dev.berth.view.Drift;
import dev.berth.view.SessionId;
import dev.berth.view.StoreReader;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A small store whose failures a test can order: replies that get lost, calls that hang or are
 * refused, sessions that expire. Retries are due at once; due times are up to the test.
 */
final class ScriptedStore implements Store {

  /** What happens to one call. */
  enum Fault {
    /** It does not take place, and fails. */
    UNAVAILABLE,
    /** It takes place, and fails all the same. */
    REPLY_LOST,
    /** It fails in a way no store should. */
    BUG,
    /** It takes place, and there is no memory for the payloads of its answer. */
    NO_MEMORY
  }

  private volatile List<Drift> drift = List.of();

  private static final class Task {
    private final Submission submission;
    private int attempt;
    private int failures;

    private Task(Submission submission) {
      this.submission = submission;
    }
  }

  private static final class Presence {
    private final Duration lease;
    private final Map<Lease, Task> running = new LinkedHashMap<>();
    private final List<Lease> cancelled = new ArrayList<>();
    private long number;
    private Exchanged.@Nullable Done answer;

    private Presence(Duration lease) {
      this.lease = lease;
    }
  }

  private final Deque<Task> pending = new ArrayDeque<>();
  private final Map<SessionId, Presence> sessions = new LinkedHashMap<>();
  private final Map<TaskId, List<Outcome>> outcomes = new HashMap<>();
  private final List<ExchangeRequest> requests = new ArrayList<>();
  private final List<Exchanged.Done> answers = new ArrayList<>();
  private final List<SessionRequest> opened = new ArrayList<>();
  private final List<SessionId> left = new ArrayList<>();
  private final Map<Lease, String> progress = new LinkedHashMap<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Deque<Swept> sweeps = new ArrayDeque<>();
  private final List<Advance> advanced = new ArrayList<>();
  private final List<Consumer<WakeUp>> listeners = new ArrayList<>();
  private Predicate<Ended> refused = ended -> false;
  private Predicate<Ended> locked = ended -> false;
  private StoreException.Kind refusal = StoreException.Kind.INVALID;
  private boolean claimsRefused;
  private boolean claimsApart;
  private @Nullable Capacity capacity;
  private final AtomicInteger held = new AtomicInteger();
  private final Map<SessionId, Long> heardAt = new HashMap<>();
  private long token;
  private int swept;
  private volatile boolean down;
  private volatile boolean heartbeatsDown;
  private volatile boolean leavesDown;
  private volatile long exchangesTake;
  private volatile @Nullable CountDownLatch exchangeGate;
  private volatile @Nullable CountDownLatch heartbeatGate;

  // What a test orders.

  TaskId add(TaskType<String, ?> type, String payload) {
    TaskId id = TaskId.next();
    submit(
        List.of(
            new Submission(
                id,
                false,
                type.name(),
                type.queue(),
                5,
                Due.NOW,
                payload,
                Map.of("of", "test"),
                Lane.OPEN)));
    return id;
  }

  synchronized void next(Fault... ordered) {
    faults.addAll(List.of(ordered));
  }

  synchronized List<Advance> advanced() {
    return List.copyOf(advanced);
  }

  synchronized void nextSweep(Swept answer) {
    sweeps.add(answer);
  }

  /** Claims of an exchange whose outcomes are refused take place. */
  synchronized void claimApart() {
    claimsApart = true;
  }

  synchronized void refuse(Predicate<Ended> which) {
    refused = which;
  }

  synchronized void refuseAs(StoreException.Kind kind) {
    refusal = kind;
  }

  /** There is a task in the line that cannot be read. */
  synchronized void refuseClaims(boolean value) {
    claimsRefused = value;
  }

  /** Somebody else has locked these. */
  synchronized void lock(Predicate<Ended> which) {
    locked = which;
  }

  void down(boolean value) {
    down = value;
  }

  void heartbeatsDown(boolean value) {
    heartbeatsDown = value;
  }

  /** Sessions cannot be ended. */
  void leavesDown(boolean value) {
    leavesDown = value;
  }

  /** Exchanges take at least so long from now on. */
  void slow(Duration exchanges) {
    exchangesTake = exchanges.toNanos();
  }

  /** Exchanges hang from now on, before they take place, until the gate is opened. */
  void holdExchanges(@Nullable CountDownLatch gate) {
    exchangeGate = gate;
  }

  void holdHeartbeats(@Nullable CountDownLatch gate) {
    heartbeatGate = gate;
  }

  /** All sessions are dead and their tasks pending again. */
  synchronized void expireSessions() {
    for (Presence presence : sessions.values()) {
      pending.addAll(presence.running.values());
    }
    sessions.clear();
  }

  /** The lease of this task has been taken away, while its session lives on. */
  synchronized void takeAway(TaskId id) {
    for (Presence presence : sessions.values()) {
      presence.running.keySet().removeIf(lease -> lease.task().equals(id));
    }
  }

  synchronized void cancel(TaskId id) {
    for (Presence presence : sessions.values()) {
      presence.running.keySet().stream()
          .filter(lease -> lease.task().equals(id))
          .forEach(presence.cancelled::add);
    }
  }

  void wake(WakeUp hint) {
    List<Consumer<WakeUp>> all;
    synchronized (this) {
      all = List.copyOf(listeners);
    }
    all.forEach(listener -> listener.accept(hint));
  }

  // What a test looks at.

  synchronized List<Outcome> outcomes(TaskId id) {
    return List.copyOf(outcomes.getOrDefault(id, List.of()));
  }

  synchronized List<ExchangeRequest> requests() {
    return List.copyOf(requests);
  }

  /** To the requests that took place, repeats apart. */
  synchronized List<Exchanged.Done> answers() {
    return List.copyOf(answers);
  }

  synchronized List<SessionRequest> opened() {
    return List.copyOf(opened);
  }

  synchronized List<SessionId> left() {
    return List.copyOf(left);
  }

  /** How many calls came to a gate. */
  int held() {
    return held.get();
  }

  /** The tick of the last heartbeat that kept the first session alive. */
  synchronized long firstSessionHeardAt() {
    return heardAt.get(new SessionId("session-1"));
  }

  synchronized int listeners() {
    return listeners.size();
  }

  synchronized int swept() {
    return swept;
  }

  synchronized int pendingCount() {
    return pending.size();
  }

  synchronized int runningCount() {
    return sessions.values().stream().mapToInt(presence -> presence.running.size()).sum();
  }

  synchronized @Nullable Capacity capacity() {
    return capacity;
  }

  synchronized List<String> progress() {
    return List.copyOf(progress.values());
  }

  // The store.

  @Override
  public synchronized List<Submitted> submit(List<Submission> batch) {
    batch.forEach(submission -> pending.add(new Task(submission)));
    return batch.stream().<Submitted>map(each -> new Submitted.Accepted(each.id())).toList();
  }

  @Override
  public synchronized Session open(SessionRequest request) {
    checkUp();
    opened.add(request);
    SessionId id = new SessionId("session-" + opened.size());
    heardAt.put(id, Ticks.now());
    sessions.put(id, new Presence(request.lease()));
    return new Session(id, request.lease());
  }

  @Override
  public Exchanged exchange(ExchangeRequest request) {
    for (long end = Ticks.now() + exchangesTake; Ticks.now() < end; ) {
      LockSupport.parkNanos(end - Ticks.now());
    }
    await(exchangeGate);
    synchronized (this) {
      requests.add(request);
      checkUp();
      Fault fault = faults.poll();
      if (fault == Fault.UNAVAILABLE) {
        throw unavailable();
      }
      if (fault == Fault.BUG) {
        throw new NullPointerException("a bug in the store");
      }
      if (claimsRefused && request.claims() > 0) {
        throw new StoreException(refusal, "cannot read this task");
      }
      if (request.ended().stream().anyMatch(refused)) {
        StoreException wrong = new StoreException(refusal, "cannot keep this outcome");
        if (!claimsApart || request.claims() == 0) {
          throw wrong;
        }
        return perform(request.withoutOutcomes()) instanceof Exchanged.Done done
            ? new Exchanged.Done(done.claims(), List.of(), List.of(), done.cancelled(), null, wrong)
            : new Exchanged.SessionLost();
      }
      Exchanged answer = perform(request);
      if (fault == Fault.REPLY_LOST) {
        throw unavailable();
      }
      if (fault == Fault.NO_MEMORY) {
        throw new OutOfMemoryError("made up");
      }
      return answer;
    }
  }

  private Exchanged perform(ExchangeRequest request) {
    Presence presence = sessions.get(request.session());
    if (presence == null) {
      return new Exchanged.SessionLost();
    }
    if (presence.answer != null && presence.number == request.number()) {
      return request.bytes() == ExchangeRequest.UNREAD ? unread(presence.answer) : presence.answer;
    }
    if (request.number() != presence.number + 1) {
      throw new StoreException(StoreException.Kind.INVALID, "numbers must count up by one");
    }
    List<Lease> stale = new ArrayList<>();
    List<Lease> aside = new ArrayList<>();
    for (Ended ended : request.ended()) {
      if (locked.test(ended)) {
        aside.add(ended.lease());
        continue;
      }
      Task task = presence.running.remove(ended.lease());
      presence.cancelled.remove(ended.lease());
      if (task == null) {
        stale.add(ended.lease());
      } else {
        record(task, ended.outcome());
      }
    }
    List<Claim> claims = new ArrayList<>();
    while (!request.filledBy(claims, 0) && !pending.isEmpty()) {
      claims.add(claim(presence, pending.remove()));
    }
    presence.number = request.number();
    presence.answer = new Exchanged.Done(claims, stale, aside, presence.cancelled, null, null);
    answers.add(presence.answer);
    return presence.answer;
  }

  private static Exchanged.Done unread(Exchanged.Done done) {
    List<Claim> claims = done.claims().stream().map(Claim::withoutPayload).toList();
    return new Exchanged.Done(claims, done.stale(), done.cancelled());
  }

  private void record(Task task, Outcome outcome) {
    outcomes.computeIfAbsent(task.submission.id(), id -> new ArrayList<>()).add(outcome);
    if (outcome instanceof Outcome.Retrying) {
      task.failures++;
      pending.add(task);
    } else if (outcome instanceof Outcome.Released) {
      task.attempt--;
      pending.add(task);
    }
  }

  private Claim claim(Presence presence, Task task) {
    Submission said = task.submission;
    Lease lease = new Lease(said.id(), ++token);
    presence.running.put(lease, task);
    return new Claim(
        lease,
        said.type(),
        said.queue(),
        said.priority(),
        said.payload(),
        said.metadata(),
        ++task.attempt,
        task.failures,
        0,
        Instant.EPOCH,
        null,
        null,
        false);
  }

  @Override
  public Heartbeat heartbeat(SessionId session, Capacity now, Map<Lease, String> said) {
    await(heartbeatGate);
    synchronized (this) {
      checkUp();
      if (heartbeatsDown) {
        throw unavailable();
      }
      Presence presence = sessions.get(session);
      if (presence == null) {
        return new Heartbeat(false, List.of());
      }
      heardAt.put(session, Ticks.now());
      capacity = now;
      progress.putAll(said);
      return new Heartbeat(true, presence.cancelled);
    }
  }

  @Override
  public synchronized void leave(SessionId session) {
    checkUp();
    if (leavesDown) {
      throw new StoreException(StoreException.Kind.UNAVAILABLE, "somebody has locked it");
    }
    left.add(session);
    Presence presence = sessions.remove(session);
    if (presence != null) {
      pending.addAll(presence.running.values());
    }
  }

  @Override
  public Held hold(SessionId session, long number, Need need) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean release(SessionId session, long number) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized Swept sweep() {
    checkUp();
    swept++;
    Swept answer = sweeps.poll();
    return answer == null ? new Swept(0, 0, 0, null) : answer;
  }

  @Override
  public synchronized boolean advance(Advance advance) {
    checkUp();
    advanced.add(advance);
    return true;
  }

  @Override
  public synchronized Applied apply(Command command) {
    checkUp();
    return Applied.DONE;
  }

  @Override
  public synchronized Subscription onWork(Consumer<WakeUp> listener) {
    listeners.add(listener);
    return () -> {
      synchronized (this) {
        listeners.remove(listener);
      }
    };
  }

  /** What its reader says of the counters of limits. */
  void drift(Drift... counters) {
    drift = List.of(counters);
  }

  /** A reader for what a worker asks. */
  @Override
  public StoreReader reader() {
    return (StoreReader)
        Proxy.newProxyInstance(
            StoreReader.class.getClassLoader(),
            new Class<?>[] {StoreReader.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("drift")) {
                return drift;
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }

  @Override
  public void close() {}

  private void checkUp() {
    if (down) {
      throw unavailable();
    }
  }

  private static StoreException unavailable() {
    return new StoreException(StoreException.Kind.UNAVAILABLE, "no answer");
  }

  private void await(@Nullable CountDownLatch gate) {
    if (gate != null) {
      held.incrementAndGet();
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
