package dev.berth.task;

import dev.berth.value.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * When a failed task is tried again: how often, after which delay, and for which exceptions. A pure
 * rule: the same failure, count and random source always give the same answer. Attempts lost to
 * crashed workers are not failures and are counted apart.
 *
 * @param attempts how often the task may be started in all before it fails for good
 * @param firstDelay the delay after the first failure
 * @param factor by how much each further delay grows; 1 is a fixed delay
 * @param cap the longest delay
 * @param jitter the part of the delay, from 0 to 1, that is chosen at random
 * @param rules which exceptions give up or retry; the first that matches decides
 */
public record Retry(
    int attempts,
    Duration firstDelay,
    double factor,
    Duration cap,
    double jitter,
    List<Rule> rules) {

  /** 5 attempts, 1 s, 2 s, 4 s, 8 s between them, up to half of each at random. */
  public static final Retry DEFAULT = attempts(5);

  /** Whether failures of this class (or below it) are tried again. */
  public record Rule(Class<? extends Throwable> failure, boolean retry) {}

  public Retry {
    if (attempts < 1) {
      throw new IllegalArgumentException("A task needs at least 1 attempt, not " + attempts);
    }
    Durations.check("The delay of a retry", firstDelay);
    Durations.check("The longest delay of a retry", cap);
    if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("A retry factor must be at least 1, not " + factor);
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException("Jitter is a part from 0 to 1, not " + jitter);
    }
    rules = List.copyOf(rules);
  }

  /** So many attempts, with exponential delays from 1 s up to 1 h. */
  public static Retry attempts(int attempts) {
    return exponential(attempts, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /** The first failure is final. */
  public static Retry never() {
    return attempts(1);
  }

  /** The same delay every time. */
  public static Retry fixed(int attempts, Duration delay) {
    return new Retry(attempts, delay, 1, delay, 0, List.of());
  }

  /** Each delay is twice the one before, up to the cap, up to half of it at random. */
  public static Retry exponential(int attempts, Duration firstDelay, Duration cap) {
    return new Retry(attempts, firstDelay, 2, cap, 0.5, List.of());
  }

  public Retry factor(double by) {
    return new Retry(attempts, firstDelay, by, cap, jitter, rules);
  }

  public Retry jitter(double part) {
    return new Retry(attempts, firstDelay, factor, cap, part, rules);
  }

  /** A failure of this class is final at once. */
  public Retry giveUpOn(Class<? extends Throwable> failure) {
    return with(new Rule(failure, false));
  }

  /** Only failures of the classes named by {@code retryOn} are tried again. */
  public Retry retryOn(Class<? extends Throwable> failure) {
    return with(new Rule(failure, true));
  }

  /**
   * The delay before the next attempt, in milliseconds, or empty to give up.
   *
   * @param failures how often the task has failed, this time included
   */
  public OptionalLong delayAfter(int failures, Throwable failure, RandomGenerator random) {
    if (failures >= attempts || !retries(failure)) {
      return OptionalLong.empty();
    }
    double grown = firstDelay.toMillis() * Math.pow(factor, failures - 1.0);
    double delay = Math.min(grown, cap.toMillis());
    return OptionalLong.of((long) (delay - delay * jitter * random.nextDouble()));
  }

  private boolean retries(Throwable failure) {
    for (Rule rule : rules) {
      if (rule.failure().isInstance(failure)) {
        return rule.retry();
      }
    }
    return rules.stream().noneMatch(Rule::retry);
  }

  private Retry with(Rule rule) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(rule);
    return new Retry(attempts, firstDelay, factor, cap, jitter, more);
  }
}
