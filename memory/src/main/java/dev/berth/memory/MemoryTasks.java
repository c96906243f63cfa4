package dev.berth.memory;

import dev.berth.store.Submission;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where each task is: alive or in the history and, if it is alive and not running, ready or waiting
 * for its due time. Guarded by the lock of the store.
 */
final class MemoryTasks {

  private final Map<TaskId, MemoryTask> live = new HashMap<>();
  private final Map<TaskId, MemoryTask> ended = new HashMap<>();
  private final TreeSet<MemoryTask> waiting =
      new TreeSet<>(Comparator.comparing(MemoryTask::due).thenComparing(MemoryTask::id));
  private final TreeSet<MemoryTask> kept =
      new TreeSet<>(
          Comparator.comparing((MemoryTask task) -> task.keptUntil).thenComparing(MemoryTask::id));
  private final ReadyTasks ready;
  private final MemoryQuotas quotas;
  private final MemoryWorkflows workflows;
  private final WakeUps wakeUps;

  MemoryTasks(ReadyTasks ready, MemoryQuotas quotas, MemoryWorkflows workflows, WakeUps wakeUps) {
    this.ready = ready;
    this.quotas = quotas;
    this.workflows = workflows;
    this.wakeUps = wakeUps;
  }

  @Nullable MemoryTask find(TaskId id) {
    MemoryTask task = live.get(id);
    return task != null ? task : ended.get(id);
  }

  Collection<MemoryTask> live() {
    return Collections.unmodifiableCollection(live.values());
  }

  Collection<MemoryTask> ended() {
    return Collections.unmodifiableCollection(ended.values());
  }

  void submit(Submission submission, Instant now) {
    Instant due =
        switch (submission.due()) {
          case Due.Now() -> now;
          case Due.After(Duration delay) -> now.plus(delay);
          case Due.At(Instant instant) -> instant;
        };
    MemoryTask task = new MemoryTask(submission, now);
    live.put(task.id(), task);
    quotas.enter(task);
    if (workflows.add(task)) {
      task.dueAt = due.isAfter(now) ? due : null;
    } else {
      queue(task, due, now);
    }
  }

  /** Puts a live task in line: at once where it is due, else when a sweep finds it due. */
  void queue(MemoryTask task, Instant due, Instant now) {
    if (due.isAfter(now)) {
      task.dueAt = due;
      waiting.add(task);
    } else {
      task.readyAt = now;
      ready.add(task);
    }
    Duration in = due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
    wakeUps.add(task.submission.queue(), in);
  }

  /** A task that does not run is under other limits from now on; its place in line is the same. */
  void change(MemoryTask task, Submission other) {
    boolean inLine = ready.remove(task);
    task.submission = other;
    if (inLine) {
      ready.add(task);
    }
  }

  /** Puts the tasks that have become due in line, the one due first at the head. */
  int promote(Instant now) {
    int promoted = 0;
    while (!waiting.isEmpty() && !waiting.first().due().isAfter(now)) {
      MemoryTask task = waiting.pollFirst();
      queue(task, task.due(), now);
      promoted++;
    }
    return promoted;
  }

  @Nullable Duration nextDue(Instant now) {
    return waiting.isEmpty() ? null : Duration.between(now, waiting.first().due());
  }

  /** Whether it is not in line: due later, or held by its workflow. */
  boolean isWaiting(MemoryTask task) {
    return waiting.contains(task) || workflows.holds(task);
  }

  /** Ends a live task; it stays in the history for so many days. */
  void end(MemoryTask task, TaskState state, int days, Instant now) {
    waiting.remove(task);
    ready.remove(task);
    live.remove(task.id());
    quotas.leave(task);
    task.state = state;
    task.endedAt = now;
    if (days > 0) {
      task.keptUntil = now.plus(Duration.ofDays(days));
      ended.put(task.id(), task);
      kept.add(task);
    }
    workflows.end(task, days, now);
  }

  /** Makes an ended task pending again, as if it had just been submitted. */
  void revive(MemoryTask task, Instant now) {
    kept.remove(task);
    ended.remove(task.id());
    task.state = TaskState.PENDING;
    task.endedAt = null;
    task.attempt = 0;
    task.failures = 0;
    task.crashes = 0;
    live.put(task.id(), task);
    quotas.enter(task);
    task.skipped = false;
    task.among = false;
    if (workflows.add(task)) {
      task.dueAt = null;
    } else {
      queue(task, now, now);
    }
  }

  void prune(Instant now) {
    while (!kept.isEmpty() && !kept.first().keptUntil.isAfter(now)) {
      ended.remove(kept.pollFirst().id());
    }
  }
}
