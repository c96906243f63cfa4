package dev.berth.task;

import dev.berth.limit.Limit;
import dev.berth.limit.WhenFull;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a task: its name, the class of its payload and result, and how its tasks are
 * queued, retried, timed out and kept. Immutable: each method returns a changed copy.
 *
 * @param <P> the payload
 * @param <R> the result; {@link Void} where the handler returns nothing
 */
public record TaskType<P, R>(
    String name,
    Class<P> payload,
    Class<R> result,
    String queue,
    int priority,
    Retry retry,
    @Nullable Duration timeout,
    Retention retention,
    int maxCrashes,
    TypeLimits<P> limits) {

  public static final String DEFAULT_QUEUE = "default";
  public static final int DEFAULT_PRIORITY = 5;

  /** How many attempts may be lost to crashed workers before the task fails. */
  public static final int DEFAULT_MAX_CRASHES = 5;

  public TaskType {
    Names.check("task type", name);
    Names.check("queue", queue);
    Priorities.check(priority);
    Objects.requireNonNull(payload, "payload class");
    Objects.requireNonNull(result, "result class");
    if (timeout != null && !timeout.isPositive()) {
      throw new IllegalArgumentException("The timeout of " + name + " must be longer than zero");
    }
    if (maxCrashes < 1) {
      throw new IllegalArgumentException("maxCrashes of " + name + " must be at least 1");
    }
  }

  /** A type whose handler returns nothing. */
  public static <P> TaskType<P, Void> of(String name, Class<P> payload) {
    return new TaskType<>(
        name,
        payload,
        Void.class,
        DEFAULT_QUEUE,
        DEFAULT_PRIORITY,
        Retry.DEFAULT,
        null,
        Retention.DEFAULT,
        DEFAULT_MAX_CRASHES,
        TypeLimits.none());
  }

  /** The handler returns a value of this class, which is stored with the task. */
  public <T> TaskType<P, T> returning(Class<T> resultClass) {
    return new TaskType<>(
        name, payload, resultClass, queue, priority, retry, timeout, retention, maxCrashes, limits);
  }

  public TaskType<P, R> queue(String name) {
    return new TaskType<>(
        this.name, payload, result, name, priority, retry, timeout, retention, maxCrashes, limits);
  }

  /** From 0 to 9, higher first; 5 where nothing is said. */
  public TaskType<P, R> priority(int level) {
    return new TaskType<>(
        name, payload, result, queue, level, retry, timeout, retention, maxCrashes, limits);
  }

  public TaskType<P, R> retry(Retry policy) {
    return new TaskType<>(
        name, payload, result, queue, priority, policy, timeout, retention, maxCrashes, limits);
  }

  /** A handler that runs longer is interrupted and the attempt counts as failed. */
  public TaskType<P, R> timeout(Duration limit) {
    return new TaskType<>(
        name, payload, result, queue, priority, retry, limit, retention, maxCrashes, limits);
  }

  /** How long ended tasks of this type are kept. */
  public TaskType<P, R> keep(Retention days) {
    return new TaskType<>(
        name, payload, result, queue, priority, retry, timeout, days, maxCrashes, limits);
  }

  /** How many attempts may be lost to crashed workers before the task fails. */
  public TaskType<P, R> maxCrashes(int count) {
    return new TaskType<>(
        name, payload, result, queue, priority, retry, timeout, retention, count, limits);
  }

  /** At most so many tasks of this type run at once, on all workers together; 0 blocks. */
  public TaskType<P, R> limit(int slots) {
    return limits(limits.own(name, slots));
  }

  /** At most so many tasks of this type at once for each value, such as one for each user. */
  public TaskType<P, R> limitPer(String key, Function<P, ?> value, int slots) {
    return limits(limits.per(name, new TypeLimits.Keyed<>(key, value, slots)));
  }

  /** Its tasks take a slot of this limit, which other types may share. */
  public TaskType<P, R> under(Limit limit) {
    return under(limit, 1);
  }

  /** Its tasks are heavy: each takes so many slots of this limit. */
  public TaskType<P, R> under(Limit limit, int weight) {
    return limits(limits.under(name, new TypeLimits.Shared(limit, weight)));
  }

  /**
   * At most so many tasks of this type are pending or running, on all workers together; a further
   * submit is refused. 0 refuses all.
   */
  public TaskType<P, R> quota(int most) {
    return quota(most, WhenFull.REFUSE);
  }

  /** As above, with a choice of what a further submit does. */
  public TaskType<P, R> quota(int most, WhenFull whenFull) {
    return limits(limits.with(limits.quotas().own(name, most, whenFull)));
  }

  /** At most so many tasks of this type for each value, such as two for each database. */
  public TaskType<P, R> quotaPer(String key, Function<P, ?> value, int most) {
    return quotaPer(key, value, most, WhenFull.REFUSE);
  }

  public TaskType<P, R> quotaPer(String key, Function<P, ?> value, int most, WhenFull whenFull) {
    var more = new TypeQuotas.Keyed<>(key, value, most, whenFull);
    return limits(limits.with(limits.quotas().per(name, more)));
  }

  /**
   * At most one task of this type for each value, such as an order. A further submit is answered
   * with the one that is there: it asks for the same work, and that is under way.
   */
  public TaskType<P, R> uniquePer(String key, Function<P, ?> value) {
    return uniquePer(key, value, WhenFull.EXISTING);
  }

  public TaskType<P, R> uniquePer(String key, Function<P, ?> value, WhenFull whenFull) {
    return quotaPer(key, value, 1, whenFull);
  }

  private TaskType<P, R> limits(TypeLimits<P> changed) {
    return new TaskType<>(
        name, payload, result, queue, priority, retry, timeout, retention, maxCrashes, changed);
  }

  @Override
  public String toString() {
    return name;
  }
}
