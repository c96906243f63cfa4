package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import dev.berth.store.Lease;
import dev.berth.store.StoreException;
import dev.berth.task.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks in flight and what becomes of them: counted from the claim until the outcome is durable or
 * void, and collected for the next call when they are over. Used by the exchange loop only.
 */
final class Outbox {

  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  /** After an outage there may be many outcomes, and some of them large. */
  private static final int MOST_OUTCOMES = 1_000;

  private static final int MOST_CHARACTERS = 8_000_000;

  /** How long those that were put aside wait. */
  private static final long ASIDE = TimeUnit.MILLISECONDS.toNanos(100);

  private final Runner runner;
  private final Standbys standbys;
  private final Telemetry telemetry;
  private final AtomicInteger inFlight = new AtomicInteger();

  /** The room that payloads and results of those in flight take. */
  private long size;

  private final Deque<Attempt> ended = new ArrayDeque<>();

  /** Whether all of them have left their slots to standbys, so that nothing idles. */
  private boolean leisurely = true;

  /** Outcomes of a call that the store called wrong: handed in one by one, to find which. */
  private final Deque<Attempt> suspects = new ArrayDeque<>();

  /** Outcomes that the store could not record yet, and until when they wait. */
  private final Deque<Attempt> aside = new ArrayDeque<>();

  private long asideUntil = Ticks.NEVER;

  Outbox(Runner runner, Standbys standbys, Telemetry telemetry) {
    this.runner = runner;
    this.standbys = standbys;
    this.telemetry = telemetry;
  }

  /** May be asked from any thread. */
  int inFlight() {
    return inFlight.get();
  }

  /** How much room those in flight take, but for these. */
  long sizeWithout(Collection<Attempt> handedIn) {
    return size - handedIn.stream().mapToLong(Attempt::size).sum();
  }

  /**
   * @param asked when the exchange that brought them began
   */
  void start(List<Claim> claims, LiveSession session, long asked) {
    inFlight.addAndGet(claims.size());
    claims.forEach(claim -> {
      Attempt attempt = runner.attempt(claim, session);
      grow(attempt, claim.size());
      runner.take(attempt, asked);
    });
  }

  void release(List<Claim> claims, LiveSession session) {
    inFlight.addAndGet(claims.size());
    claims.forEach(claim -> runner.release(runner.attempt(claim, session)));
  }

  /**
   * Their payloads did not fit into memory. One that came alone will not fit next time either; what
   * came with others may.
   */
  void unread(List<Claim> claims, LiveSession session) {
    if (claims.size() == 1) {
      inFlight.incrementAndGet();
      runner.tooLarge(runner.attempt(claims.getFirst(), session));
    } else {
      release(claims, session);
    }
  }

  /** Lets go of standbys that may not start any more. */
  void withdraw(@Nullable LiveSession session, boolean working) {
    standbys
        .withdraw(each -> each.session() != session || !each.session().live())
        .forEach(runner::drop);
    long now = Ticks.now();
    standbys.withdraw(each -> !working || each.startBy() <= now).forEach(runner::release);
  }

  /** Somebody cancelled these; a standby among them need not start first. */
  void cancel(Collection<Lease> leases) {
    if (!leases.isEmpty()) {
      standbys.withdraw(each -> leases.contains(each.lease())).forEach(runner::release);
    }
  }

  /** Collects the attempts that are over; those of an earlier session have nothing to hand in. */
  void collect(@Nullable LiveSession session) {
    if (asideUntil <= Ticks.now()) {
      ended.addAll(aside);
      aside.clear();
      asideUntil = Ticks.NEVER;
    }
    for (Attempt attempt : runner.takeEnded()) {
      if (attempt.outcome() == null) {
        gone(attempt);
      } else if (attempt.session() != session) {
        drop(attempt);
      } else {
        ended.add(attempt);
        grow(attempt, resultSize(attempt));
        leisurely &= attempt.heir() != null;
      }
    }
  }

  /** Whether outcomes wait and none of them leaves anything idle. */
  boolean leisurely() {
    return leisurely && !ended.isEmpty() && suspects.isEmpty();
  }

  /** When outcomes that were put aside are to be handed in again, as a tick. */
  long asideUntil() {
    return asideUntil;
  }

  /** How many outcomes wait for the next call. */
  int size() {
    return ended.size() + suspects.size();
  }

  /** Whether the next call may carry nothing but one outcome. */
  boolean suspicious() {
    return !suspects.isEmpty();
  }

  /** What the next call carries: all that waits, as long as a store can bear it. */
  List<Attempt> take() {
    if (suspicious()) {
      return List.of(suspects.remove());
    }
    List<Attempt> some = new ArrayList<>(Math.min(ended.size(), MOST_OUTCOMES));
    long characters = 0;
    while (!ended.isEmpty() && some.size() < MOST_OUTCOMES && characters < MOST_CHARACTERS) {
      Attempt attempt = ended.remove();
      characters += resultSize(attempt);
      some.add(attempt);
    }
    leisurely = ended.isEmpty();
    return some;
  }

  /**
   * The store has recorded them, except for the stale ones and those to be handed in again.
   *
   * @return when the first of them is to be tried again
   */
  Optional<Duration> recorded(
      List<Attempt> handedIn, Collection<Lease> stale, Collection<Lease> again) {
    Duration first = null;
    for (Attempt attempt : handedIn) {
      if (stale.contains(attempt.lease())) {
        drop(attempt);
        continue;
      }
      if (again.contains(attempt.lease())) {
        aside.add(attempt);
        asideUntil = Ticks.now() + ASIDE;
        continue;
      }
      gone(attempt);
      Outcome outcome = requireNonNull(attempt.outcome());
      telemetry.recorded(outcome);
      Duration delay =
          switch (outcome) {
            case Outcome.Retrying retry -> retry.delay();
            case Outcome.Released release when release.delay().isPositive() -> release.delay();
            default -> null;
          };
      if (delay != null && (first == null || delay.compareTo(first) < 0)) {
        first = delay;
      }
    }
    return Optional.ofNullable(first);
  }

  /** The session is gone: none of these can be recorded, nor what waits. */
  void lost(List<Attempt> handedIn) {
    handedIn.forEach(this::drop);
    ended.forEach(this::drop);
    ended.clear();
    suspects.forEach(this::drop);
    suspects.clear();
    aside.forEach(this::drop);
    aside.clear();
    asideUntil = Ticks.NEVER;
  }

  /**
   * Their call did not take place, for a reason that is not theirs: they come first in the next.
   */
  void again(List<Attempt> handedIn) {
    handedIn.reversed().forEach(ended::addFirst);
  }

  /**
   * The store calls the request wrong. One outcome must not keep the others from being recorded: so
   * they go one by one, and one that is refused alone is replaced by a failure that says so.
   */
  void refused(List<Attempt> handedIn, StoreException e) {
    if (handedIn.size() > 1) {
      suspects.addAll(handedIn);
      return;
    }
    Attempt attempt = handedIn.getFirst();
    LOG.error("The store refused the outcome of {}: {}", attempt, e.getMessage());
    if (attempt.outcome() == Runner.LAST_RESORT) {
      gone(attempt); // nothing else can be said of it; it goes back at the end
      return;
    }
    String error = "The store refused the outcome of this attempt: " + e.getMessage();
    attempt.outcome(
        attempt.outcome() instanceof Outcome.Failed
            ? Runner.LAST_RESORT
            : new Outcome.Failed(ErrorText.clean(error)));
    suspects.add(attempt);
  }

  private void drop(Attempt attempt) {
    standbys.handingIn(List.of(attempt));
    gone(attempt);
    telemetry.stale(attempt.claim());
  }

  private void grow(Attempt attempt, long more) {
    attempt.grow(more);
    size += more;
  }

  private void gone(Attempt attempt) {
    inFlight.decrementAndGet();
    size -= attempt.size();
  }

  private static long resultSize(Attempt attempt) {
    return attempt.outcome() instanceof Outcome.Finished(String result) && result != null
        ? result.length()
        : 0;
  }
}
