package dev.berth.worker;

import static java.util.Objects.requireNonNull;

import dev.berth.store.Claim;
import dev.berth.store.LimitReachedException;
import dev.berth.store.StepView;
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
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts, each on its own thread: payload, handler, outcome. Nothing a handler throws gets
 * past it, and each attempt comes out at {@link EndedAttempts} exactly once.
 */
final class Runner {

  private static final Outcome RELEASED = new Outcome.Released();

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

  /**
   * Starts a task that was claimed, or lets it stand by; one that cannot be started here goes back.
   *
   * @param asked when its exchange began
   */
  void take(Claim claim, LiveSession session, long asked) {
    Attempt attempt = new Attempt(claim, session, this);
    if (!handlings.containsKey(claim.type())) {
      release(attempt);
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

  /** Gives a task back that was claimed and not started. */
  void release(Claim claim, LiveSession session) {
    release(new Attempt(claim, session, this));
  }

  /** Gives it back. */
  void release(Attempt attempt) {
    attempt.outcome(RELEASED);
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

  /** Moves the timeout of an attempt. */
  void watch(Attempt attempt, Duration fromNow) {
    long deadline = Ticks.after(fromNow);
    attempt.deadline(deadline);
    deadlines.watch(deadline);
  }

  <P> TaskId submit(TaskType<P, ?> type, P payload, SubmitOptions options) {
    Submitted submitted = Store.submitOne(store, submissions.of(type, payload, options));
    if (submitted instanceof Submitted.LimitReached reached) {
      throw new LimitReachedException(reached);
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
    long began = Ticks.now();
    try {
      Decision decided = decide(attempt, handling, began);
      if (decided != null) {
        Outcome outcome = decided.outcome();
        telemetry.ended(attempt.claim(), outcome, Ticks.now() - began);
        if (decided.recorded()) {
          telemetry.recorded(outcome);
        } else {
          attempt.outcome(outcome);
        }
      }
    } catch (Throwable e) { // such as no memory left for the text of the error
      attempt.end();
      attempt.outcome(lastResort(attempt.claim(), handling.type(), e));
    } finally {
      attempt.session().ended(attempt);
      Attempt next = standbys.after(attempt, attempt.ended(Ticks.now()));
      ended.add(attempt); // before the next one can end
      if (next != null) {
        start(next);
      }
    }
  }

  /** How the attempt ended; null where the task belongs to others, whatever its code says. */
  private <P, R> @Nullable Decision decide(Attempt attempt, Handling<P, R> handling, long began) {
    Claim claim = attempt.claim();
    TaskType<P, ?> type = handling.type();
    P payload;
    try {
      payload = codec.decode(claim.payload(), type.payload());
      requireNonNull(payload, "the payload is null");
    } catch (RuntimeException | StackOverflowError e) {
      return attempt.end() == Attempt.Phase.LOST ? null : Decision.of(unreadable(e));
    }
    R result = null;
    Throwable failure = null;
    try {
      if (type.timeout() != null) {
        watch(attempt, type.timeout());
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
      return decision; // whoever asked it to stop came too late
    }
    return switch (phase) {
      case RUNNING ->
          Decision.of(failure == null ? finished(result) : failed(claim, type, failure));
      case CANCELLED -> Decision.of(new Outcome.Cancelled("cancelled while it ran"));
      case TIMED_OUT -> Decision.of(failed(claim, type, timedOut(began)));
      case STOPPED -> Decision.of(RELEASED);
      case LOST, ENDED -> null;
    };
  }

  private Outcome finished(@Nullable Object result) {
    if (result instanceof Decision decision) {
      return clean(decision.outcome());
    }
    if (result == null) {
      return new Outcome.Finished(null);
    }
    try {
      return new Outcome.Finished(codec.encode(result));
    } catch (RuntimeException | StackOverflowError e) {
      return new Outcome.Failed(ErrorText.of(e)); // the work is done: to do it again would not help
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

  private static Outcome failed(Claim claim, TaskType<?, ?> type, Throwable failure) {
    return failed(claim, type, failure, ErrorText.of(failure));
  }

  private static Outcome lastResort(Claim claim, TaskType<?, ?> type, Throwable failure) {
    try {
      return failed(claim, type, failure, failure.getClass().getName());
    } catch (Throwable e) {
      return RELEASED;
    }
  }

  private static Outcome failed(Claim claim, TaskType<?, ?> type, Throwable failure, String error) {
    OptionalLong delay =
        type.retry().delayAfter(claim.failures() + 1, failure, ThreadLocalRandom.current());
    return delay.isPresent()
        ? new Outcome.Retrying(error, Duration.ofMillis(delay.getAsLong()))
        : new Outcome.Failed(error);
  }

  /** A payload that cannot be read is final at once: it will be no better next time. */
  private static Outcome unreadable(Throwable e) {
    String message = e instanceof CodecException ? e.getMessage() : null;
    return new Outcome.Failed(ErrorText.clean(message == null ? ErrorText.of(e) : message));
  }

  private static TimeoutException timedOut(long began) {
    long millis = Duration.ofNanos(Ticks.now() - began).toMillis();
    TimeoutException timeout = new TimeoutException("timed out after " + millis + " ms");
    timeout.setStackTrace(new StackTraceElement[0]); // it would show only this line
    return timeout;
  }
}
