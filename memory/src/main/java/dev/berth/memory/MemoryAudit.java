package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.view.AuditFilter;
import dev.berth.view.LimitAudit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Replays the runs of all tasks that the store still knows. Guarded by the lock of the store. */
record MemoryAudit(MemoryTasks tasks) {

  /** A start or an end under one limit. */
  private record Event(long number, MemoryRun run, int change) {}

  List<LimitAudit> of(AuditFilter filter) {
    Map<LimitKey, List<Event>> events = new TreeMap<>();
    Stream.concat(tasks.live().stream(), tasks.ended().stream())
        .forEach(task -> task.runs.forEach(run -> collect(task, run, filter, events)));
    return events.entrySet().stream()
        .map(limit -> replay(limit.getKey(), limit.getValue()))
        .toList();
  }

  private static void collect(
      MemoryTask task, MemoryRun run, AuditFilter filter, Map<LimitKey, List<Event>> events) {
    if (filter.from() != null && run.endedAt.isBefore(filter.from())) {
      return;
    }
    for (Need need : task.submission.lane().needs()) {
      LimitKey key = need.key();
      if (run.wasUnder(key)
          && (filter.key() == null
              || filter.key().equals(key)
              || filter.key().equals(key.rule()))) {
        List<Event> all = events.computeIfAbsent(key, same -> new ArrayList<>());
        all.add(new Event(run.countsFrom(key), run, need.weight()));
        all.add(new Event(run.ended, run, -need.weight()));
      }
    }
  }

  private static LimitAudit replay(LimitKey key, List<Event> events) {
    events.sort(Comparator.comparing(Event::number));
    @Nullable LimitAudit worst = null;
    int running = 0;
    for (Event event : events) {
      running += event.change();
      if (event.change() > 0) {
        LimitAudit now = audit(key, running, event.run());
        worst = worst == null || isWorse(now, worst) ? now : worst;
      }
    }
    if (worst == null) {
      throw new IllegalStateException("No start under limit " + key);
    }
    return worst;
  }

  private static LimitAudit audit(LimitKey key, int running, MemoryRun run) {
    OptionalInt slots = run.slots.getOrDefault(key, OptionalInt.empty());
    return slots.isEmpty()
        ? new LimitAudit(key, running, null, run.startedAt, false, 0)
        : new LimitAudit(
            key, running, slots.getAsInt(), run.startedAt, running > slots.getAsInt(), 0);
  }

  /** Any excess is worse than none, then the larger excess, then the higher peak. */
  private static boolean isWorse(LimitAudit a, LimitAudit b) {
    return excess(a) != excess(b) ? excess(a) > excess(b) : a.peak() > b.peak();
  }

  private static int excess(LimitAudit audit) {
    return audit.slots() == null ? 0 : Math.max(0, audit.peak() - audit.slots());
  }
}
