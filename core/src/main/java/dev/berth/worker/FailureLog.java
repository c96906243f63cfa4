package dev.berth.worker;

import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import dev.berth.value.Printable;
import dev.berth.value.Texts;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * Says in the log how attempts of one type failed, under a logger of that type: so its level can be
 * set where those of all others are.
 *
 * @param retried the level where the task is tried again: one line
 * @param failed the level where it has failed for good: with the exception
 */
record FailureLog(Logger log, Level retried, Level failed) {

  private static final String LOGGER = "dev.berth.task.";
  private static final String TYPE = "berth.type";
  private static final String ID = "berth.id";
  private static final String ATTEMPT = "berth.attempt";
  private static final int LONGEST_REASON = 1_000;

  static FailureLog of(String type) {
    return new FailureLog(LoggerFactory.getLogger(LOGGER + type), Level.WARN, Level.ERROR);
  }

  /** What this thread logs from now on is about this attempt. */
  static void enter(Claim claim) {
    MDC.put(TYPE, claim.type());
    MDC.put(ID, claim.lease().task().toString());
    MDC.put(ATTEMPT, Integer.toString(claim.attempt()));
  }

  static void leave() {
    MDC.remove(TYPE);
    MDC.remove(ID);
    MDC.remove(ATTEMPT);
  }

  /** Says it, if it is a failure; whatever goes wrong with that harms nobody. */
  void ended(Claim claim, Outcome outcome, @Nullable Throwable failure) {
    if (!(outcome instanceof Outcome.Retrying || outcome instanceof Outcome.Failed)) {
      return;
    }
    boolean entered = MDC.get(ID) == null; // an attempt that never came to its handler
    try {
      if (entered) {
        enter(claim);
      }
      switch (outcome) {
        case Outcome.Retrying(String error, Duration delay) when on(retried) ->
            log.atLevel(retried)
                .log(
                    "{} failed in attempt {} and is tried again in {}: {}",
                    subject(claim),
                    claim.attempt(),
                    text(delay),
                    reason(error, failure));
        case Outcome.Failed(String error) when on(failed) ->
            log.atLevel(failed)
                .setCause(failure)
                .log(
                    "{} failed for good in attempt {}: {}",
                    subject(claim),
                    claim.attempt(),
                    reason(error, failure));
        default -> {}
      }
    } catch (RuntimeException | Error e) {
      // such as an appender that fails, or an exception that cannot be printed
    } finally {
      if (entered) {
        leave();
      }
    }
  }

  private boolean on(Level level) {
    return log.isEnabledForLevel(level);
  }

  private static String subject(Claim claim) {
    return "Task %s (%s)".formatted(claim.lease().task(), Printable.line(claim.type()));
  }

  /** Such as 1m30s. */
  private static String text(Duration delay) {
    return delay.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  private static String reason(String error, @Nullable Throwable failure) {
    String reason =
        failure == null ? error.lines().findFirst().orElse("") : ErrorText.headline(failure);
    return Printable.line(Texts.clean(reason, LONGEST_REASON));
  }
}
