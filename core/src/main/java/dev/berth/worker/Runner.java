package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import dev.berth.store.QuotaFullException;
import dev.berth.store.Store;
import dev.berth.store.Submissions;
import dev.berth.store.Submitted;
import dev.berth.task.Codec;
import dev.berth.task.CodecException;
import dev.berth.task.Outcome;
import dev.berth.task.SubmitOptions;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.task.TaskType;
import dev.berth.view.StepView;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Runs attempts, each on its own thread: payload, handler, outcome. Nothing a handler throws gets
 * past it, and each attempt comes out at {@link EndedAttempts} exactly once.
 */
final class Runner {

  /** Where nothing else can be said: to give a task back would bring it again, for ever. */
  static final Outcome LAST_RESORT =
      new Outcome.Failed("The attempt failed, and its error could not be recorded");

  private static final Outcome RELEASED = new Outcome.Released();

  /** Memory that others have taken may be free again then. */
  private static final Outcome RELEASED_FOR_A_MOMENT = new Outcome.Released(Duration.ofSeconds(1));

  private static final String TOO_LARGE =
      "The payload did not fit into the memory of its worker: give it a larger heap, or keep what"
          + " is large elsewhere and submit where it is";

  /**
   * How an attempt ended.
   *
   * @param failure what its code threw, if it did
   */
  private record Ending(Decision decision, @Nullable Throwable failure) {
    Ending(Outcome outcome, @Nullable Throwable failure) {
      this(Decision.of(outcome), failure);
    }
  }

  private final Map<String, Handling<?, ?>> handlings;
  private final Codec codec;
  private final Store store;
  private final Submissions submissions;
  private final Deadlines deadlines;
  private final EndedAttempts ended;
  private final Telemetry telemetry;
  private final Standbys standbys;

  Runner(
      Map<String, Handling<?, ?>> handlings,
      Codec codec,
      Store store,
      Deadlines deadlines,
      EndedAttempts ended,
      Standbys standbys,
      Telemetry telemetry) {
    this.handlings = handlings;
    this.codec = codec;
    this.store = store;
    this.submissions = new Submissions(codec);
    this.deadlines = deadlines;
    this.ended = ended;
    this.standbys = standbys;
    this.telemetry = telemetry;
  }

  Attempt attempt(Claim claim, LiveSession session) {
    return new Attempt(claim, session, this);
  }

  /**
   * Starts a task that was claimed, or lets it stand by; one that nobody here asked for has failed.
   *
   * @param asked when its exchange began
   */
  void take(Attempt attempt, long asked) {
    Claim claim = attempt.claim();
    if (!handlings.containsKey(claim.type())) {
      Outcome unhandled = unhandled(claim.type());
      FailureLog.of(claim.type()).ended(claim, unhandled, null);
      attempt.outcome(unhandled);
      ended.add(attempt);
      return;
    }
    if (claim.standby()) {
      attempt.startBy(Ticks.plus(asked, Ticks.nanos(Claim.STANDBY_STARTS_WITHIN)));
      if (standbys.add(attempt)) {
        start(attempt);
      }
      return;
    }
    attempt.began(Ticks.now());
    standbys.started(attempt);
    start(attempt);
  }

  private void start(Attempt attempt) {
    LiveSession session = attempt.session();
    Handling<?, ?> handling = requireNonNull(handlings.get(attempt.claim().type()));
    try {
      session.start(attempt, handling.threads().newThread(() -> run(attempt, handling)));
    } catch (OutOfMemoryError e) { // no memory for one more thread
      session.ended(attempt);
      standbys.after(attempt, 0);
      release(attempt);
    }
  }

  /** Gives it back. */
  void release(Attempt attempt) {
    attempt.outcome(RELEASED);
    ended.add(attempt);
  }

  /** Fails an attempt that could not begin, since its payload does not fit into memory. */
  void tooLarge(Attempt attempt) {
    Handling<?, ?> handling = handlings.get(attempt.claim().type());
    if (handling == null) {
      release(attempt);
      return;
    }
    OutOfMemoryError full = new OutOfMemoryError(TOO_LARGE);
    attempt.handled(Ticks.now());
    settle(
        attempt,
        handling,
        new Ending(failed(attempt.claim(), handling.type(), full, TOO_LARGE), full));
    ended.add(attempt);
  }

  /** It belongs to others and has not started. */
  void drop(Attempt attempt) {
    ended.add(attempt);
  }

  /** The attempts that are over since the last call, the oldest first. */
  List<Attempt> takeEnded() {
    return ended.take();
  }

  /** Sets the timeout of an attempt, counted from this tick. */
  void watch(Attempt attempt, long from, Duration longest) {
    long deadline = Ticks.plus(from, Ticks.nanos(longest));
    attempt.deadline(deadline);
    deadlines.watch(deadline);
  }

  /** The handler is past its timeout, does not react, and is left behind. */
  void giveUp(Attempt attempt) {
    Handling<?, ?> handling = requireNonNull(handlings.get(attempt.claim().type()));
    FailureLog.enter(attempt.claim());
    try {
      settle(attempt, handling, failed(attempt, handling.type(), timedOut(attempt)));
    } finally {
      FailureLog.leave();
      comeOut(attempt);
    }
  }

  <P> TaskId submit(TaskType<P, ?> type, P payload, SubmitOptions options) {
    Submitted submitted = Store.submitOne(store, submissions.of(type, payload, options));
    if (submitted instanceof Submitted.QuotaFull full) {
      throw new QuotaFullException(full);
    }
    return submitted.id();
  }

  /** What a step of the attempt's workflow has returned. */
  <R> @Nullable R resultOf(Attempt attempt, String step, TaskType<?, R> type) {
    StepView found =
        store
            .reader()
            .step(attempt.id(), step)
            .orElseThrow(() ->
                new IllegalStateException(
                    "Task %s is no step of a workflow that has a step \"%s\""
                        .formatted(attempt, step)));
    if (found.state() != TaskState.FINISHED) {
      throw new IllegalStateException(
          "Step \"%s\" has no result: it is %s%s"
              .formatted(
                  step,
                  found.state().name().toLowerCase(Locale.ROOT),
                  found.skipped() ? " and was skipped" : ""));
    }
    String json = found.result();
    return json == null || type.result() == Void.class ? null : codec.decode(json, type.result());
  }

  private void run(Attempt attempt, Handling<?, ?> handling) {
    attempt.handled(Ticks.now());
    try {
      FailureLog.enter(attempt.claim());
      Ending ending = decide(attempt, handling);
      if (ending != null) {
        settle(attempt, handling, ending);
      }
    } catch (Throwable e) { // such as no memory left for the text of the error
      Attempt.Phase phase = attempt.end();
      if (phase != Attempt.Phase.LOST && phase != Attempt.Phase.GIVEN_UP) {
        Ending ending = new Ending(lastResort(attempt.claim(), handling.type(), e), e);
        settle(attempt, handling, ending);
      }
    } finally {
      MDC.clear(); // or the next thread may inherit it
      if (!attempt.givenUp()) {
        comeOut(attempt);
      }
    }
  }

  private void settle(Attempt attempt, Handling<?, ?> handling, Ending ending) {
    Claim claim = attempt.claim();
    Outcome outcome = ending.decision().outcome();
    if (ending.decision().recorded()) {
      telemetry.recorded(outcome);
    } else {
      attempt.outcome(outcome);
    }
    long ran = Ticks.now() - attempt.handledSince();
    telemetry.ended(claim, outcome, ending.failure(), ran);
    handling.failures().ended(claim, outcome, ending.failure());
  }

  /** It is over, and another may go on in its slots. */
  private void comeOut(Attempt attempt) {
    attempt.session().ended(attempt);
    Attempt next = standbys.after(attempt, attempt.ended(Ticks.now()));
    ended.add(attempt); // before the next one can end
    if (next != null) {
      start(next);
    }
  }

  /** How the attempt ended; null where the task belongs to others, whatever its code says. */
  private <P, R> @Nullable Ending decide(Attempt attempt, Handling<P, R> handling) {
    Claim claim = attempt.claim();
    TaskType<P, ?> type = handling.type();
    P payload;
    try {
      payload = codec.decode(claim.payload(), type.payload());
      requireNonNull(payload, "the payload is null");
    } catch (RuntimeException | StackOverflowError e) {
      return attempt.end() == Attempt.Phase.LOST ? null : new Ending(unreadable(e), e);
    } catch (OutOfMemoryError e) {
      return attempt.end() == Attempt.Phase.LOST ? null : new Ending(unread(attempt, type, e), e);
    }
    R result = null;
    Throwable failure = null;
    try {
      long now = Ticks.now();
      attempt.handled(now);
      if (type.timeout() != null) {
        watch(attempt, now, type.timeout());
      }
      if (!attempt.stopping()) {
        telemetry.started(claim);
        result = handling.code().run(payload, attempt);
      }
    } catch (Throwable e) { // errors too: an assertion or a stack overflow is a failed attempt
      failure = e;
    }
    Attempt.Phase phase = attempt.end();
    if (result instanceof Decision decision && decision.recorded()) {
      return new Ending(decision, null); // whoever asked it to stop came too late
    }
    return switch (phase) {
      case RUNNING -> failure == null ? finished(attempt, result) : failed(attempt, type, failure);
      case CANCELLED -> new Ending(new Outcome.Cancelled("cancelled while it ran"), null);
      case TIMED_OUT -> failed(attempt, type, timedOut(attempt));
      case STOPPED -> new Ending(RELEASED, null);
      case LOST, GIVEN_UP, ENDED -> null;
    };
  }

  private Ending finished(Attempt attempt, @Nullable Object result) {
    if (result instanceof Decision decision) {
      return new Ending(clean(decision.outcome()), null);
    }
    try {
      if (result == null) {
        return new Ending(new Outcome.Finished(null), null);
      }
      String json = codec.encode(result);
      String wrong = attempt.session().cap().tooLarge("result", attempt.claim().type(), json);
      return new Ending(
          wrong == null ? new Outcome.Finished(json) : new Outcome.Failed(wrong), null);
    } catch (RuntimeException | StackOverflowError e) {
      // the work is done: to do it again would not help
      return new Ending(new Outcome.Failed(ErrorText.of(e)), e);
    }
  }

  private static Outcome clean(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Failed(String error) -> new Outcome.Failed(ErrorText.clean(error));
      case Outcome.Retrying(String error, Duration delay) ->
          new Outcome.Retrying(ErrorText.clean(error), delay);
      default -> outcome;
    };
  }

  private static Ending failed(Attempt attempt, TaskType<?, ?> type, Throwable failure) {
    return new Ending(failed(attempt.claim(), type, failure, ErrorText.of(failure)), failure);
  }

  private static Outcome lastResort(Claim claim, TaskType<?, ?> type, Throwable failure) {
    try {
      return failed(claim, type, failure, failure.getClass().getName());
    } catch (Throwable e) {
      return LAST_RESORT;
    }
  }

  private static Outcome failed(Claim claim, TaskType<?, ?> type, Throwable failure, String error) {
    OptionalLong delay =
        type.retry().delayAfter(claim.failures() + 1, failure, ThreadLocalRandom.current());
    return delay.isPresent()
        ? new Outcome.Retrying(error, Duration.ofMillis(delay.getAsLong()))
        : new Outcome.Failed(error);
  }

  private static Outcome unhandled(String type) {
    return new Outcome.Failed(
        "This worker has no handler for type \"%s\", and the store gave it the task all the same: is the name of the type stored as it is written?"
            .formatted(type));
  }

  /** A payload that cannot be read is final at once: it will be no better next time. */
  private static Outcome unreadable(Throwable e) {
    String message = e instanceof CodecException ? e.getMessage() : null;
    return new Outcome.Failed(ErrorText.clean(message == null ? ErrorText.of(e) : message));
  }

  /** There may be room for it when others have ended; if there are none, it is too large. */
  private static Outcome unread(Attempt attempt, TaskType<?, ?> type, OutOfMemoryError e) {
    return attempt.session().running().size() > 1
        ? RELEASED_FOR_A_MOMENT
        : failed(attempt.claim(), type, e, TOO_LARGE);
  }

  private static TimeoutException timedOut(Attempt attempt) {
    TimeoutException timeout =
        new TimeoutException("timed out after " + attempt.allowed().toMillis() + " ms");
    timeout.setStackTrace(new StackTraceElement[0]); // it would show only this line
    return timeout;
  }
}
