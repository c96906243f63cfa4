package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.task.Priorities;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tasks that may be claimed, highest priority first, and how many wait under each limit. */
final class ReadyTasks {

  /** Who is before whom in a line. */
  static final Comparator<MemoryTask> IN_LINE =
      Comparator.comparing((MemoryTask task) -> task.submission.priority())
          .reversed()
          .thenComparing(ReadyLanes.POSITION);

  private record Level(String queue, int priority) {
    static Level of(MemoryTask task) {
      return new Level(task.submission.queue(), task.submission.priority());
    }
  }

  private final Map<Level, ReadyLanes> levels = new HashMap<>();

  /** How many tasks wait under a limit, by queue. */
  private final Map<LimitKey, Map<String, Long>> waiting = new HashMap<>();

  void add(MemoryTask task) {
    levels.computeIfAbsent(Level.of(task), level -> new ReadyLanes()).add(task);
    count(task, 1);
  }

  /** Whether it was there. */
  boolean remove(MemoryTask task) {
    ReadyLanes lanes = levels.get(Level.of(task));
    boolean was = lanes != null && lanes.remove(task);
    if (was) {
      count(task, -1);
    }
    return was;
  }

  /**
   * Takes tasks of these types out of one queue, as long as more are wanted. Each is started before
   * the next is chosen, since it leaves fewer slots.
   */
  void take(
      String queue,
      List<String> types,
      BooleanSupplier wanted,
      Predicate<MemoryTask> admits,
      Consumer<MemoryTask> start) {
    for (int priority = Priorities.HIGHEST; priority >= Priorities.LOWEST; priority--) {
      ReadyLanes lanes = levels.get(new Level(queue, priority));
      if (lanes != null) {
        take(lanes.round(types, admits), wanted, start);
      }
    }
  }

  long waiting(LimitKey key) {
    return waiting.getOrDefault(key, Map.of()).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The queues with tasks that wait under a limit. */
  Set<String> queues(LimitKey key) {
    return waiting.getOrDefault(key, Map.of()).keySet();
  }

  /** The limits with tasks that wait under them. */
  Set<LimitKey> keys() {
    return Collections.unmodifiableSet(waiting.keySet());
  }

  /** The limits with tasks that wait under them and whose number this key carries. */
  Set<LimitKey> under(LimitKey ruleOrKey) {
    return waiting.keySet().stream()
        .filter(key -> key.equals(ruleOrKey) || key.rule().equals(ruleOrKey))
        .collect(Collectors.toSet());
  }

  private void take(ReadyLanes.Round round, BooleanSupplier wanted, Consumer<MemoryTask> start) {
    while (wanted.getAsBoolean()) {
      MemoryTask task = round.next();
      if (task == null) {
        break;
      }
      count(task, -1);
      start.accept(task);
    }
  }

  private void count(MemoryTask task, long change) {
    for (Need need : task.submission.lane().needs()) {
      Map<String, Long> queues = waiting.computeIfAbsent(need.key(), key -> new HashMap<>());
      queues.merge(task.submission.queue(), change, ReadyTasks::sumOrNone);
      if (queues.isEmpty()) {
        waiting.remove(need.key());
      }
    }
  }

  private static @Nullable Long sumOrNone(long count, long change) {
    return count + change == 0 ? null : count + change;
  }
}
