package dev.berth.task;

import dev.berth.limit.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one submit says beyond type and payload. Immutable: each method returns a changed copy.
 *
 * @param id an id of your own, which makes the submit idempotent
 * @param name a text of your own that makes the id, for each type another; at most one of both
 * @param queue instead of the type's
 * @param priority instead of the type's
 */
public record SubmitOptions(
    @Nullable TaskId id,
    @Nullable String name,
    @Nullable String queue,
    @Nullable Integer priority,
    Due due,
    Map<String, String> metadata,
    List<TypeLimits.Shared> limits) {

  public static final SubmitOptions DEFAULT =
      new SubmitOptions(null, null, null, null, Due.NOW, Map.of(), List.of());

  public SubmitOptions {
    if (name != null) {
      Names.check("task", name);
    }
    if (queue != null) {
      Names.check("queue", queue);
    }
    if (priority != null) {
      Priorities.check(priority);
    }
    metadata = Map.copyOf(metadata);
    limits = List.copyOf(limits);
  }

  /** Submitting the same id again is a no-op for as long as the task or its history is kept. */
  public SubmitOptions id(TaskId own) {
    return new SubmitOptions(own, null, queue, priority, due, metadata, limits);
  }

  /** An id made from a text of your own, such as "order-42". Each type has its own of a text. */
  public SubmitOptions id(String text) {
    return new SubmitOptions(null, text, queue, priority, due, metadata, limits);
  }

  /** Whether the submit says which task it is. */
  public boolean ownId() {
    return id != null || name != null;
  }

  public SubmitOptions queue(String other) {
    return new SubmitOptions(id, name, other, priority, due, metadata, limits);
  }

  /** From 0 to 9, higher first. */
  public SubmitOptions priority(int level) {
    return new SubmitOptions(id, name, queue, level, due, metadata, limits);
  }

  public SubmitOptions delay(Duration delay) {
    return new SubmitOptions(id, name, queue, priority, Due.after(delay), metadata, limits);
  }

  public SubmitOptions dueAt(Instant instant) {
    return new SubmitOptions(id, name, queue, priority, Due.at(instant), metadata, limits);
  }

  /** Text pairs that travel with the task: a trace id, the tenant, who asked. */
  public SubmitOptions metadata(Map<String, String> pairs) {
    return new SubmitOptions(id, name, queue, priority, due, pairs, limits);
  }

  /**
   * This task takes a slot of the limit too; its number counts where the store does not know it.
   */
  public SubmitOptions under(Limit limit) {
    return under(limit, 1);
  }

  /** This task takes so many slots of the limit. */
  public SubmitOptions under(Limit limit, int weight) {
    List<TypeLimits.Shared> more = new ArrayList<>(limits);
    more.add(new TypeLimits.Shared(limit, weight));
    return new SubmitOptions(id, name, queue, priority, due, metadata, more);
  }
}
