package dev.berth.postgres;

import dev.berth.limit.LimitKey;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.Priorities;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a SQL task is launched. Immutable: each method returns a changed copy.
 *
 * @param topics the limits it is under
 * @param transaction whether it runs in a transaction, and then exactly once
 * @param timeout after which the statement is stopped, 1 millisecond to 24 days; null: the default
 *     of the database, 1 hour where nobody has set another
 * @param dueAt the earliest start; null: now
 * @param queue which workers read it
 * @param id of the caller's own, which makes the launch idempotent; null: a new one
 */
public record LaunchOptions(
    List<String> topics,
    boolean transaction,
    @Nullable Duration timeout,
    @Nullable Instant dueAt,
    int priority,
    String queue,
    @Nullable TaskId id) {

  public static final LaunchOptions DEFAULT =
      new LaunchOptions(List.of(), true, null, null, 5, SqlTasks.QUEUE, null);

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(24);

  public LaunchOptions {
    topics = List.copyOf(topics);
    topics.forEach(LimitKey::ofTopic);
    Names.check("queue", queue);
    Priorities.check(priority);
    if (dueAt != null) {
      Due.at(dueAt); // says what is wrong with it
    }
    if (timeout != null && (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "The timeout of a SQL task cannot be " + timeout + ": use 1 millisecond to 24 days");
    }
  }

  public LaunchOptions topics(String... names) {
    return new LaunchOptions(List.of(names), transaction, timeout, dueAt, priority, queue, id);
  }

  /** For statements that cannot run in a transaction, such as VACUUM: at least once, not more. */
  public LaunchOptions withoutTransaction() {
    return new LaunchOptions(topics, false, timeout, dueAt, priority, queue, id);
  }

  public LaunchOptions timeout(Duration longest) {
    return new LaunchOptions(topics, transaction, longest, dueAt, priority, queue, id);
  }

  public LaunchOptions dueAt(Instant earliest) {
    return new LaunchOptions(topics, transaction, timeout, earliest, priority, queue, id);
  }

  public LaunchOptions priority(int value) {
    return new LaunchOptions(topics, transaction, timeout, dueAt, value, queue, id);
  }

  public LaunchOptions queue(String name) {
    return new LaunchOptions(topics, transaction, timeout, dueAt, priority, name, id);
  }

  public LaunchOptions id(TaskId own) {
    return new LaunchOptions(topics, transaction, timeout, dueAt, priority, queue, own);
  }
}
