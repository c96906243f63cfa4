package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.memory.MemoryWorkflow.EndedStep;
import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Schedule;
import dev.berth.store.Submission;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Changes made by hand. Guarded by the lock of the store. */
final class MemoryCommands {

  private final MemoryTasks tasks;
  private final MemoryAttempts attempts;
  private final MemoryLimits limits;
  private final MemorySlots slots;
  private final MemoryHolds holds;
  private final MemoryQuotas quotas;
  private final MemoryWorkflows workflows;
  private final MemorySchedules schedules;
  private final WakeUps wakeUps;
  private final Set<String> paused = new TreeSet<>();

  MemoryCommands(
      MemoryTasks tasks,
      MemoryAttempts attempts,
      MemoryLimits limits,
      MemorySlots slots,
      MemoryHolds holds,
      MemoryQuotas quotas,
      MemoryWorkflows workflows,
      MemorySchedules schedules,
      WakeUps wakeUps) {
    this.tasks = tasks;
    this.attempts = attempts;
    this.limits = limits;
    this.slots = slots;
    this.holds = holds;
    this.quotas = quotas;
    this.workflows = workflows;
    this.schedules = schedules;
    this.wakeUps = wakeUps;
  }

  Applied apply(Command command, Instant now) {
    return switch (command) {
      case Command.Cancel(TaskId id, String reason) -> cancel(id, reason, now);
      case Command.RetryTask(TaskId id) -> retry(id, now);
      case Command.PauseQueue(String queue) -> done(paused.add(queue));
      case Command.ResumeQueue(String queue) -> resume(queue);
      case Command.SetLimit(LimitKey key, int number, Duration lasts) ->
          put(key, limits.set(key, number, lasts == null ? null : now.plus(lasts)));
      case Command.ResetLimit(LimitKey key) -> changed(key, limits.reset(key));
      case Command.PauseLimit(LimitKey key) -> put(key, limits.pause(key));
      case Command.ResumeLimit(LimitKey key) -> changed(key, limits.resume(key));
      case Command.RecountLimit(LimitKey key) -> changed(key, slots.recount(key));
      case Command.ReleaseSlot(LimitKey key, long token) -> release(key, token, now);
      case Command.SkipStep(String workflow, String step) -> skip(workflow, step, now);
      case Command.CancelWorkflow(String workflow, String reason) ->
          cancelWorkflow(workflow, reason, now);
      case Command.RetryWorkflow(String workflow) -> retryWorkflow(workflow, now);
      case Command.SetSchedule(Schedule schedule) -> schedules.set(schedule, now);
      case Command.PauseSchedule(String name) -> schedules.pause(name);
      case Command.ResumeSchedule(String name) -> schedules.resume(name, now);
      case Command.RunSchedule(String name, TaskId task) -> schedules.run(name, task, now);
      case Command.RemoveSchedule(String name) -> schedules.remove(name);
    };
  }

  Set<String> paused() {
    return Collections.unmodifiableSet(paused);
  }

  private Applied cancel(TaskId id, String reason, Instant now) {
    MemoryTask task = tasks.find(id);
    if (task == null) {
      return Applied.NOT_FOUND;
    }
    if (task.state.ended()) {
      return Applied.UNCHANGED;
    }
    if (task.state == TaskState.RUNNING) {
      task.cancelReason = reason;
      return Applied.REQUESTED;
    }
    attempts.cancel(task, reason, now);
    return Applied.DONE;
  }

  private Applied retry(TaskId id, Instant now) {
    MemoryTask task = tasks.find(id);
    if (task == null) {
      return Applied.NOT_FOUND;
    }
    if (task.state != TaskState.FAILED && task.state != TaskState.CANCELLED) {
      return Applied.UNCHANGED;
    }
    if (quotas.full(task.submission.quotas()).isPresent()) {
      return Applied.QUOTA_FULL;
    }
    task.submission = limits.withThoseOfItsType(task.submission);
    tasks.revive(task, now);
    MemoryWorkflow workflow = workflows.of(task);
    if (workflow != null) {
      workflow.cancelled = null;
    }
    return Applied.DONE;
  }

  private Applied skip(String name, String step, Instant now) {
    MemoryWorkflow workflow = workflows.find(name);
    if (workflow == null || !workflow.knows(step)) {
      return Applied.NOT_FOUND;
    }
    MemoryTask task = workflow.live(step);
    if (task == null) {
      workflows.changed(workflow);
      return done(workflow.skip(step));
    }
    task.skipped = true;
    return cancel(task.id(), "skipped by hand", now);
  }

  private Applied cancelWorkflow(String name, String reason, Instant now) {
    MemoryWorkflow workflow = workflows.find(name);
    if (workflow == null) {
      return Applied.NOT_FOUND;
    }
    MemoryTask task = workflow.active();
    if (workflow.first() == null) {
      return Applied.UNCHANGED;
    }
    workflow.cancelled = reason;
    workflows.changed(workflow);
    if (task == null) {
      return Applied.DONE;
    }
    task.among = true;
    return cancel(task.id(), reason, now);
  }

  private Applied retryWorkflow(String name, Instant now) {
    MemoryWorkflow workflow = workflows.find(name);
    if (workflow == null) {
      return Applied.NOT_FOUND;
    }
    Applied all = Applied.UNCHANGED;
    for (EndedStep step : List.copyOf(workflow.ended())) {
      boolean cancelled = step.view().state() == TaskState.CANCELLED && !step.view().skipped();
      if (cancelled || step.blocks() != null) {
        Applied one = retry(step.view().task(), now);
        all = all == Applied.UNCHANGED && one != Applied.NOT_FOUND ? one : all;
      }
    }
    return all;
  }

  private Applied release(LimitKey key, long token, Instant now) {
    SlotHolder holder = slots.holder(key, token);
    switch (holder) {
      case null -> {
        return Applied.NOT_FOUND;
      }
      case MemoryTask task ->
          attempts.crash(
              task,
              "lost the task when its slot of the limit " + key + " was released by hand",
              now);
      case MemoryHold hold -> holds.release(hold.session(), hold.number());
    }
    return Applied.DONE;
  }

  private Applied resume(String queue) {
    boolean was = paused.remove(queue);
    if (was) {
      wakeUps.add(queue, Duration.ZERO);
    }
    return done(was);
  }

  /** What is said of the limit of a type counts for all its tasks, also those submitted before. */
  private Applied put(LimitKey key, boolean changed) {
    if (changed && key.isOfType()) {
      limits.putUnder(key);
      tasks.live().stream()
          .filter(task -> LimitKey.ofType(task.submission.type()).equals(key))
          .filter(task -> !task.submission.lane().under(key))
          .forEach(this::putUnderThoseOfItsType);
    }
    return changed(key, changed);
  }

  private void putUnderThoseOfItsType(MemoryTask task) {
    Submission before = task.submission;
    Submission after = limits.withThoseOfItsType(before);
    if (task.state != TaskState.RUNNING) {
      tasks.change(task, after);
      return;
    }
    task.submission = after;
    after.lane().needs().stream()
        .filter(need -> !before.lane().under(need.key()))
        .forEach(need -> attempts.charge(task, need));
  }

  private Applied changed(LimitKey key, boolean changed) {
    if (changed) {
      slots.changed(key);
    }
    return done(changed);
  }

  private static Applied done(boolean changed) {
    return changed ? Applied.DONE : Applied.UNCHANGED;
  }
}
