package dev.berth.memory;

import dev.berth.limit.LimitKey;
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
import dev.berth.store.Registration;
import dev.berth.store.Session;
import dev.berth.store.SessionRequest;
import dev.berth.store.SizeCap;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import dev.berth.view.StoreReader;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory: the model that other stores are compared with, and a store for tests and
 * demos. Every verb runs under one lock, at one instant. Nothing outlives the process.
 */
public final class MemoryStore implements Store {

  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final WakeUps wakeUps = new WakeUps();
  private final MemoryTypes types = new MemoryTypes();
  private final MemoryLimits limits = new MemoryLimits();
  private final ReadyTasks ready = new ReadyTasks();
  private final MemorySlots slots = new MemorySlots(limits, ready);
  private final MemoryAdmission admission = new MemoryAdmission(slots);
  private final MemoryQuotas quotas = new MemoryQuotas();
  private final MemoryWorkflows workflows = new MemoryWorkflows();
  private final MemoryTasks tasks = new MemoryTasks(ready, quotas, workflows, wakeUps);
  private final MemoryAttempts attempts = new MemoryAttempts(tasks, types, slots);
  private final MemoryHolds holds = new MemoryHolds(limits, slots, admission, attempts);
  private final MemorySubmits submits =
      new MemorySubmits(tasks, attempts, limits, quotas, workflows);
  private final MemorySessions sessions = new MemorySessions();
  private final MemorySchedules schedules = new MemorySchedules(submits, attempts, quotas, wakeUps);
  private final MemoryCommands commands =
      new MemoryCommands(
          tasks, attempts, limits, slots, holds, quotas, workflows, schedules, wakeUps);
  private final StoreReader reader =
      new MemoryReader(
          this::at,
          tasks,
          sessions,
          slots,
          admission,
          quotas,
          schedules,
          workflows,
          commands.paused());
  private boolean closed;

  private MemoryStore(InstantSource clock) {
    this.clock = clock;
  }

  /** An empty store. */
  public static MemoryStore create() {
    return create(InstantSource.system());
  }

  /** An empty store with a clock of its own. */
  public static MemoryStore create(InstantSource clock) {
    return new MemoryStore(clock);
  }

  @Override
  public List<Submitted> submit(List<Submission> batch) {
    List<Submission> whole = List.copyOf(batch);
    whole.forEach(SizeCap.DEFAULT::check);
    return at(now -> submits.submit(whole, now));
  }

  @Override
  public Session open(SessionRequest request) {
    return at(now -> {
      types.register(request.types());
      List<Registration> differing = limits.differing(request.types());
      limits.register(request.types()).forEach(slots::changed);
      return new Session(
          sessions.open(request, now).id, request.lease(), differing, SizeCap.DEFAULT);
    });
  }

  @Override
  public Exchanged exchange(ExchangeRequest request) {
    return at(now -> {
      MemorySession session = sessions.alive(request.session(), now);
      return session == null ? new Exchanged.SessionLost() : exchange(session, request, now);
    });
  }

  @Override
  public Heartbeat heartbeat(SessionId id, Capacity capacity, Map<Lease, String> progress) {
    return at(now -> {
      MemorySession session = sessions.alive(id, now);
      if (session == null) {
        return new Heartbeat(false, List.of());
      }
      session.renew(capacity, now);
      progress.forEach(session::progress);
      return new Heartbeat(true, session.cancelled());
    });
  }

  @Override
  public void leave(SessionId id) {
    at(now -> {
      MemorySession session = sessions.alive(id, now);
      if (session != null) {
        session.tasks().forEach(task -> attempts.release(task, now));
        holds.releaseAll(session);
        admission.gone(session);
        sessions.remove(session);
      }
      return id;
    });
  }

  @Override
  public Held hold(SessionId id, long number, Need need) {
    return at(now -> {
      MemorySession session = sessions.alive(id, now);
      return session == null ? new Held.SessionLost() : holds.hold(session, number, need, now);
    });
  }

  @Override
  public boolean release(SessionId id, long number) {
    return at(now -> {
      MemorySession session = sessions.find(id);
      return session != null && holds.release(session, number);
    });
  }

  @Override
  public Swept sweep() {
    return at(now -> {
      int promoted = tasks.promote(now);
      List<MemorySession> dead = sessions.removeDead(now);
      int returned = 0;
      for (MemorySession session : dead) {
        admission.gone(session);
        holds.releaseAll(session);
        for (MemoryTask task : session.tasks()) {
          returned += attempts.crash(task, MemoryAttempts.LOST, now) ? 1 : 0;
        }
      }
      limits.expire(now).forEach(slots::changed);
      tasks.prune(now);
      workflows.prune(now);
      forgetLimits(now);
      return new Swept(promoted, dead.size(), returned, nextDue(now), schedules.due(now));
    });
  }

  private void forgetLimits(Instant now) {
    Set<String> handled = new HashSet<>();
    sessions.alive(now).forEach(session -> handled.addAll(session.types));
    limits.forget(now, this::limitsInUse, handled);
  }

  /** The limits that are in use, and the rules of those of many keys. */
  private Set<LimitKey> limitsInUse() {
    Set<LimitKey> used = new HashSet<>(slots.held());
    tasks.live().forEach(task -> task.submission.lane().needs().forEach(n -> used.add(n.key())));
    schedules.lanes().forEach(lane -> lane.needs().forEach(need -> used.add(need.key())));
    List.copyOf(used).forEach(key -> used.add(key.rule()));
    return used;
  }

  @Override
  public boolean advance(Advance advance) {
    return at(now -> schedules.advance(advance, now));
  }

  @Override
  public Applied apply(Command command) {
    return at(now -> commands.apply(command, now));
  }

  @Override
  public Subscription onWork(Consumer<WakeUp> listener) {
    return wakeUps.subscribe(listener);
  }

  @Override
  public StoreReader reader() {
    return reader;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      wakeUps.close();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Duration nextDue(Instant now) {
    return Stream.of(tasks.nextDue(now), schedules.nextDue(now))
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private Exchanged exchange(MemorySession session, ExchangeRequest request, Instant now) {
    if (request.number() < session.number) {
      throw new StoreException(
          StoreException.Kind.INVALID,
          "Exchange %d of session %s came after exchange %d"
              .formatted(request.number(), session.id, session.number));
    }
    if (request.number() > session.number) {
      attempts.checkResults(session, request.ended());
      session.number = request.number();
      session.stale =
          request.ended().stream()
              .filter(ended -> !attempts.end(session, ended, now))
              .map(Ended::lease)
              .toList();
      workflows.advance(tasks, attempts, now);
      session.claims = request.claims() == 0 ? List.of() : claim(session, request, now);
    }
    Duration again = slots.nextStart(now).map(next -> Duration.between(now, next)).orElse(null);
    List<Claim> claims =
        request.bytes() == ExchangeRequest.UNREAD
            ? session.claims.stream().map(Claim::withoutPayload).toList()
            : session.claims;
    return new Exchanged.Done(claims, session.stale, session.cancelled(), again);
  }

  private List<Claim> claim(MemorySession session, ExchangeRequest request, Instant now) {
    List<Claim> claims = new ArrayList<>();
    AtomicLong bytes = new AtomicLong(request.bytes());
    Set<LimitKey> leftToOthers = admission.leftToOthers(session, slots.freed());
    for (String queue : request.queues()) {
      if (!commands.paused().contains(queue)) {
        ready.take(
            queue,
            session.types,
            () -> claims.size() < request.claims() && bytes.get() > 0,
            task ->
                admission.admits(
                    task.needs(), task.submission.lane().name(), session, leftToOthers, now),
            task -> {
              Claim claim = attempts.start(task, session, now);
              claims.add(claim);
              bytes.addAndGet(-claim.size());
              admission.started(task.needs(), task.submission.lane().name(), session);
            });
      }
    }
    return claims;
  }

  /** Does one thing at one instant, alone, and then tells whoever waits for work. */
  private <T> T at(Function<Instant, T> verb) {
    T answer;
    List<WakeUp> hints;
    lock.lock();
    try {
      if (closed) {
        throw new StoreException(StoreException.Kind.INVALID, "This store is closed");
      }
      Instant now = clock.instant();
      answer = verb.apply(now);
      workflows.advance(tasks, attempts, now);
      admission.waiting(slots.freed()).forEach(queue -> wakeUps.add(queue, Duration.ZERO));
      slots.collectQueues().forEach(queue -> wakeUps.add(queue, Duration.ZERO));
      hints = wakeUps.collect();
    } finally {
      lock.unlock();
    }
    wakeUps.send(hints);
    return answer;
  }
}
