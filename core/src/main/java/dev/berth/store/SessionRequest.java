package dev.berth.store;

import dev.berth.limit.Quota;
import dev.berth.task.LimitRule;
import dev.berth.task.Names;
import dev.berth.task.Retention;
import dev.berth.value.Durations;
import java.time.Duration;
import java.util.List;

/**
 * What a worker says of itself when it opens a session.
 *
 * @param worker its name, for people
 * @param types the types it handles: it claims no others
 * @param queues the queues it reads
 * @param lease how long the session lives after each heartbeat
 * @param capacity how many tasks it runs at once at most
 */
public record SessionRequest(
    String worker, List<Handled> types, List<String> queues, Duration lease, int capacity) {

  public SessionRequest {
    Names.check("worker", worker);
    Durations.checkPositive("The lease of a session", lease);
    types.forEach(type -> Names.check("task type", type.type()));
    queues.forEach(queue -> Names.check("queue", queue));
    types = List.copyOf(types);
    queues = List.copyOf(queues);
  }

  /** What the store keeps of a type. */
  public record Handled(
      String type,
      Retention retention,
      int maxCrashes,
      List<LimitRule> limits,
      List<Quota> quotas) {
    public Handled {
      limits = List.copyOf(limits);
      quotas = List.copyOf(quotas);
    }

    public Handled(String type, Retention retention, int maxCrashes, List<LimitRule> limits) {
      this(type, retention, maxCrashes, limits, List.of());
    }

    public Handled(String type, Retention retention, int maxCrashes) {
      this(type, retention, maxCrashes, List.of());
    }
  }
}
