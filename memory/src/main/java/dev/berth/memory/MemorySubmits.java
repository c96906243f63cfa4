package dev.berth.memory;

import dev.berth.limit.Quota;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a submission. Guarded by the lock of the store. */
final class MemorySubmits {

  private final MemoryTasks tasks;
  private final MemoryAttempts attempts;
  private final MemoryLimits limits;
  private final MemoryQuotas quotas;

  MemorySubmits(
      MemoryTasks tasks, MemoryAttempts attempts, MemoryLimits limits, MemoryQuotas quotas) {
    this.tasks = tasks;
    this.attempts = attempts;
    this.limits = limits;
    this.quotas = quotas;
  }

  Submitted submit(Submission submission, Instant now) {
    if (tasks.find(submission.id()) != null) {
      return new Submitted.Existing(submission.id());
    }
    List<MemoryTask> replaced = new ArrayList<>();
    for (Quota quota : submission.quotas()) {
      if (room(quota, replaced) > 0) {
        continue;
      }
      switch (quota.whenFull()) {
        case REFUSE -> {
          return refused(submission, quota, null);
        }
        case EXISTING -> {
          return new Submitted.Existing(quotas.under(quota.key()).first().id());
        }
        case CANCEL -> {
          return refused(submission, quota, stopOne(quota));
        }
        case REPLACE -> {
          Optional<MemoryTask> oldest = pending(quota, replaced);
          if (oldest.isEmpty() || room(quota, replaced) < 0) {
            return refused(submission, quota, null);
          }
          replaced.add(oldest.get());
        }
      }
    }
    replaced.forEach(task -> attempts.cancel(task, "replaced by task " + submission.id(), now));
    limits.named(submission.lane().needs());
    tasks.submit(limits.withThoseOfItsType(submission), now);
    return new Submitted.Accepted(submission.id());
  }

  /** How many more there may be once these are gone; less than 0 where the quota was higher. */
  private int room(Quota quota, List<MemoryTask> replaced) {
    var under = quotas.under(quota.key());
    int gone = (int) replaced.stream().filter(under::contains).count();
    return quota.most() - (under.size() - gone);
  }

  private Optional<MemoryTask> pending(Quota quota, List<MemoryTask> replaced) {
    return quotas.under(quota.key()).stream()
        .filter(task -> task.state != TaskState.RUNNING && !replaced.contains(task))
        .findFirst();
  }

  private @Nullable MemoryTask stopOne(Quota quota) {
    MemoryTask first =
        quotas.under(quota.key()).stream()
            .filter(task -> task.state == TaskState.RUNNING)
            .min(Comparator.comparingLong(task -> task.token))
            .orElse(null);
    if (first != null && first.cancelReason == null) {
      first.cancelReason = "stopped to make room under the quota " + quota.key();
    }
    return first;
  }

  private static Submitted refused(
      Submission submission, Quota quota, @Nullable MemoryTask stopping) {
    return new Submitted.LimitReached(
        submission.id(),
        quota.key().value(),
        quota.most(),
        stopping == null ? null : stopping.id());
  }
}
