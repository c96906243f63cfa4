package dev.berth.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one submit says beyond type and payload. Immutable: each method returns a changed copy.
 *
 * @param id an id of your own, which makes the submit idempotent
 * @param queue instead of the type's
 * @param priority instead of the type's
 */
public record SubmitOptions(
    @Nullable TaskId id,
    @Nullable String queue,
    @Nullable Integer priority,
    Due due,
    Map<String, String> metadata) {

  public static final SubmitOptions DEFAULT =
      new SubmitOptions(null, null, null, Due.NOW, Map.of());

  public SubmitOptions {
    if (queue != null) {
      Names.check("queue", queue);
    }
    if (priority != null) {
      Priorities.check(priority);
    }
    metadata = Map.copyOf(metadata);
  }

  /** Submitting the same id again is a no-op for as long as the task or its history is kept. */
  public SubmitOptions id(TaskId own) {
    return new SubmitOptions(own, queue, priority, due, metadata);
  }

  /** An id made from a text of your own, such as "order-42". */
  public SubmitOptions id(String name) {
    return id(TaskId.named(name));
  }

  public SubmitOptions queue(String name) {
    return new SubmitOptions(id, name, priority, due, metadata);
  }

  /** From 0 to 9, higher first. */
  public SubmitOptions priority(int level) {
    return new SubmitOptions(id, queue, level, due, metadata);
  }

  public SubmitOptions delay(Duration delay) {
    return new SubmitOptions(id, queue, priority, Due.after(delay), metadata);
  }

  public SubmitOptions dueAt(Instant instant) {
    return new SubmitOptions(id, queue, priority, Due.at(instant), metadata);
  }

  /** Text pairs that travel with the task: a trace id, the tenant, who asked. */
  public SubmitOptions metadata(Map<String, String> pairs) {
    return new SubmitOptions(id, queue, priority, due, pairs);
  }
}
