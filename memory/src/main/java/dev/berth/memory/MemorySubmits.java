package dev.berth.memory;

import dev.berth.limit.Quota;
import dev.berth.store.Submission;
import dev.berth.store.Submitted;
import dev.berth.store.Submitted.QuotaFull;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a submission. Guarded by the lock of the store. */
final class MemorySubmits {

  private final MemoryTasks tasks;
  private final MemoryAttempts attempts;
  private final MemoryLimits limits;
  private final MemoryQuotas quotas;
  private final MemoryWorkflows workflows;

  MemorySubmits(
      MemoryTasks tasks,
      MemoryAttempts attempts,
      MemoryLimits limits,
      MemoryQuotas quotas,
      MemoryWorkflows workflows) {
    this.tasks = tasks;
    this.attempts = attempts;
    this.limits = limits;
    this.quotas = quotas;
    this.workflows = workflows;
  }

  /** One after another; behind a step that is refused, no other of its workflow is accepted. */
  List<Submitted> submit(List<Submission> batch, Instant now) {
    checkSame(batch);
    Map<String, QuotaFull> refused = new HashMap<>();
    List<Submitted> answers = new ArrayList<>();
    for (Submission submission : batch) {
      Step step = submission.step();
      QuotaFull before = step == null ? null : refused.get(step.workflow());
      Submitted answer = before == null ? submit(submission, now) : behind(submission, before);
      if (step != null && answer instanceof QuotaFull full) {
        refused.put(step.workflow(), full);
      }
      answers.add(answer);
    }
    return answers;
  }

  /** Before anything is changed: those that are there already, or come twice, must be the same. */
  void checkSame(List<Submission> batch) {
    Map<TaskId, Submission> first = new HashMap<>();
    for (Submission submission : batch) {
      MemoryTask task = tasks.find(submission.id());
      Submission same =
          task == null ? first.putIfAbsent(submission.id(), submission) : task.submission;
      if (same != null) {
        submission.checkSame(same.type(), same.payload(), same.name());
      } else {
        workflows
            .find(submission.step())
            .ifPresent(step -> submission.checkSame(step.type(), null, step.name()));
      }
    }
  }

  private Submitted behind(Submission submission, QuotaFull before) {
    return isKnown(submission)
        ? new Submitted.Existing(submission.id())
        : new QuotaFull(submission.id(), before.key(), before.quota());
  }

  private boolean isKnown(Submission submission) {
    return tasks.find(submission.id()) != null || workflows.knows(submission.step());
  }

  Submitted submit(Submission submission, Instant now) {
    if (isKnown(submission)) {
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
        .filter(task -> task.submission.step() == null)
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
    return new Submitted.QuotaFull(
        submission.id(),
        quota.key().value(),
        quota.most(),
        stopping == null ? null : stopping.id());
  }
}
