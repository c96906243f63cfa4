package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Ended;
import dev.berth.store.Lease;
import dev.berth.store.SizeCap;
import dev.berth.task.Outcome;
import dev.berth.task.Retention;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.AttemptView.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How attempts begin and end, and what becomes of their task. Guarded by the lock of the store. */
final class MemoryAttempts {

  static final String LOST = "was lost while it ran the task";

  /** How long a step that failed is kept at the least. */
  private static final int STEP_DAYS = 30;

  private final MemoryTasks tasks;
  private final MemoryTypes types;
  private final MemorySlots slots;
  private long lastToken;
  private long lastRunEvent;

  MemoryAttempts(MemoryTasks tasks, MemoryTypes types, MemorySlots slots) {
    this.tasks = tasks;
    this.types = types;
    this.slots = slots;
  }

  /** Higher than all before. */
  long nextToken() {
    return ++lastToken;
  }

  /** Begins an attempt of a task that was taken out of its line. */
  Claim start(MemoryTask task, MemorySession session, Instant now) {
    task.state = TaskState.RUNNING;
    task.session = session;
    task.token = nextToken();
    task.attempt++;
    task.startedAt = now;
    task.progress = null;
    session.running.put(task.id(), task);
    slots.take(task, now);
    task.runs.add(new MemoryRun(++lastRunEvent, now, slots.numbers(task)));
    return task.claim();
  }

  /** A running task is under this limit too from now on. */
  void charge(MemoryTask task, Need need) {
    slots.charge(task, need);
    task.runs.getLast().join(need.key(), ++lastRunEvent);
  }

  /** Refuses outcomes before any of them is recorded. */
  void checkResults(MemorySession session, List<Ended> all) {
    for (Ended ended : all) {
      MemoryTask task = session.running.get(ended.lease().task());
      if (task != null
          && ended.outcome() instanceof Outcome.Finished(String result)
          && result != null) {
        SizeCap.DEFAULT.check("result", task.submission.type(), result);
      }
    }
  }

  /** Records an outcome; false where the lease had been taken away, and then nothing changes. */
  boolean end(MemorySession session, Ended ended, Instant now) {
    Lease lease = ended.lease();
    MemoryTask task = session.running.get(lease.task());
    if (task == null || task.token != lease.token()) {
      return false;
    }
    switch (ended.outcome()) {
      case Outcome.Finished(String result) -> finish(task, result, now);
      case Outcome.Retrying(String error, Duration delay) -> retry(task, error, delay, now);
      case Outcome.Failed(String error) -> {
        task.failures++;
        fail(task, Ending.FAILED, error, now);
      }
      case Outcome.Released(Duration delay) -> release(task, delay, now);
      case Outcome.Cancelled(String reason) ->
          cancel(task, task.cancelReason == null ? reason : task.cancelReason, now);
    }
    return true;
  }

  /** Gives a running task back as if it had not been claimed. */
  void release(MemoryTask task, Instant now) {
    release(task, Duration.ZERO, now);
  }

  private void release(MemoryTask task, Duration delay, Instant now) {
    if (task.cancelReason != null) {
      cancel(task, task.cancelReason, now);
      return;
    }
    close(task, Ending.RELEASED, null, now);
    task.attempt--;
    putBack(task, now.plus(delay), now);
  }

  /**
   * Gives back a running task whose worker died; false where that was once too often.
   *
   * @param why ends the sentence "The worker …"
   */
  boolean crash(MemoryTask task, String why, Instant now) {
    String error = "The worker " + worker(task) + " " + why;
    task.crashes++;
    if (task.cancelReason != null) {
      cancel(task, task.cancelReason, now);
      return false;
    }
    if (task.crashes >= types.get(task.submission.type()).maxCrashes()) {
      fail(
          task,
          Ending.CRASHED,
          error + "; this was crash " + task.crashes + ", the last allowed",
          now);
      return false;
    }
    close(task, Ending.CRASHED, error, now);
    putBack(task, now, now);
    return true;
  }

  /** Ends a live task because someone asked for it, whether it is running or not. */
  void cancel(MemoryTask task, String reason, Instant now) {
    close(task, Ending.CANCELLED, reason, now);
    task.error = reason;
    tasks.end(task, TaskState.CANCELLED, retention(task).finishedDays(), now);
  }

  private void finish(MemoryTask task, @Nullable String result, Instant now) {
    close(task, Ending.FINISHED, null, now);
    task.result = result;
    task.error = null;
    tasks.end(task, TaskState.FINISHED, retention(task).finishedDays(), now);
  }

  private void fail(MemoryTask task, Ending ending, String error, Instant now) {
    close(task, ending, error, now);
    task.error = error;
    int days = retention(task).failedDays();
    boolean step = task.submission.step() != null; // a person must be able to retry it
    tasks.end(task, TaskState.FAILED, step ? Math.max(days, STEP_DAYS) : days, now);
  }

  private void retry(MemoryTask task, String error, Duration delay, Instant now) {
    task.failures++;
    if (task.cancelReason != null) {
      cancel(task, task.cancelReason, now);
      return;
    }
    close(task, Ending.RETRYING, error, now);
    task.error = error;
    putBack(task, now.plus(delay), now);
  }

  private void putBack(MemoryTask task, Instant due, Instant now) {
    task.state = task.attempt > 0 ? TaskState.RETRYING : TaskState.PENDING;
    tasks.queue(task, due, now);
  }

  private Retention retention(MemoryTask task) {
    return types.get(task.submission.type()).retention();
  }

  /** Writes down the attempt; a task that is cancelled while it does not run has no start. */
  private void close(MemoryTask task, Ending ending, @Nullable String error, Instant now) {
    MemorySession session = task.session;
    Instant startedAt = session == null ? null : task.startedAt;
    task.attempts.add(
        new AttemptView(task.attempt, ending, startedAt, now, task.token, worker(task), error));
    if (session != null) {
      session.running.remove(task.id());
      slots.giveBack(task);
      task.runs.getLast().end(++lastRunEvent, now);
    }
    task.session = null;
    task.cancelReason = null;
  }

  private static @Nullable String worker(MemoryTask task) {
    return task.session == null ? null : task.session.worker();
  }
}
