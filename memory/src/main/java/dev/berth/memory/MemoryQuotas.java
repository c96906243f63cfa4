package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Quota;
import dev.berth.view.QuotaView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The live tasks under each quota, the oldest first. Guarded by the lock of the store. */
final class MemoryQuotas {

  private static final Comparator<MemoryTask> OLDEST_FIRST =
      Comparator.comparing((MemoryTask task) -> task.submittedAt).thenComparing(MemoryTask::id);

  private final Map<LimitKey, TreeSet<MemoryTask>> tasks = new TreeMap<>();

  /** The task is alive now. */
  void enter(MemoryTask task) {
    for (Quota quota : task.submission.quotas()) {
      tasks.computeIfAbsent(quota.key(), key -> new TreeSet<>(OLDEST_FIRST)).add(task);
    }
  }

  /** The task has ended for good. */
  void leave(MemoryTask task) {
    for (Quota quota : task.submission.quotas()) {
      tasks.computeIfPresent(
          quota.key(),
          (key, under) -> {
            under.remove(task);
            return under.isEmpty() ? null : under;
          });
    }
  }

  SortedSet<MemoryTask> under(LimitKey key) {
    return tasks.getOrDefault(key, new TreeSet<>(OLDEST_FIRST));
  }

  /** The first of these that has no room for one more. */
  Optional<Quota> full(List<Quota> quotas) {
    return quotas.stream().filter(quota -> under(quota.key()).size() >= quota.most()).findFirst();
  }

  List<QuotaView> views() {
    return tasks.entrySet().stream()
        .map(under -> new QuotaView(under.getKey(), under.getValue().size()))
        .toList();
  }
}
