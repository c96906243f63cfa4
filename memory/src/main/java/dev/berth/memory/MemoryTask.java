package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.store.Claim;
import dev.berth.store.Lease;
import dev.berth.store.Submission;
import dev.berth.task.Counts;
import dev.berth.task.Place;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskState;
import dev.berth.view.AttemptView;
import dev.berth.view.LimitView.Holder;
import dev.berth.view.TaskView;
import dev.berth.view.Times;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One task with everything the store knows of it. Guarded by the lock of the store. */
final class MemoryTask implements SlotHolder {

  Submission submission;
  final Instant submittedAt;
  final List<AttemptView> attempts = new ArrayList<>();

  /** The last is under way while the task runs. */
  final List<MemoryRun> runs = new ArrayList<>();

  TaskState state = TaskState.PENDING;

  /** The earliest start, where it was later than the submit or the failure. */
  @Nullable Instant dueAt;

  /** When it became ready: its place among the tasks of the same priority. */
  Instant readyAt;

  /** How long the history keeps it, once it has ended. */
  Instant keptUntil = Instant.MAX;

  int attempt;
  int failures;
  int crashes;

  /** Of the current or last claim; 0 before the first. */
  long token;

  /** Who runs it; null unless it is running. */
  @Nullable MemorySession session;

  /** Why someone asked to cancel it; null unless it is running and someone did. */
  @Nullable String cancelReason;

  /** Whether its workflow goes on, however it ends. */
  boolean skipped;

  /** Whether it is cancelled because its workflow is, and so is no cause itself. */
  boolean among;

  @Nullable Instant startedAt;
  @Nullable Instant endedAt;
  @Nullable String result;
  @Nullable String error;
  @Nullable String progress;

  MemoryTask(Submission submission, Instant submittedAt) {
    this.submission = submission;
    this.submittedAt = submittedAt;
    this.readyAt = submittedAt;
  }

  TaskId id() {
    return submission.id();
  }

  Lease lease() {
    return new Lease(id(), token);
  }

  /** When it is or was due; a task without a due time of its own was due at its submit. */
  Instant due() {
    return dueAt == null ? submittedAt : dueAt;
  }

  Claim claim() {
    return new Claim(
        lease(),
        submission.type(),
        submission.queue(),
        submission.priority(),
        submission.payload(),
        submission.metadata(),
        attempt,
        failures,
        crashes,
        submittedAt,
        dueAt,
        submission.lane().open() ? null : submission.lane().name(),
        false);
  }

  @Override
  public List<Need> needs() {
    return submission.lane().needs();
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public Holder holder(int weight) {
    if (session == null) {
      throw new IllegalStateException("Task " + id() + " holds slots and does not run");
    }
    Instant since = startedAt == null ? submittedAt : startedAt;
    return new Holder(
        id(),
        submission.type(),
        token,
        session.worker(),
        session.expiresAt(),
        since,
        NO_GROUP,
        weight);
  }

  TaskView view() {
    Step step = submission.step();
    return new TaskView(
        id(),
        submission.type(),
        new Place(submission.queue(), submission.priority()),
        state,
        new Times(submittedAt, due(), startedAt, endedAt),
        new Counts(attempt, failures, crashes),
        new TaskView.Input(
            submission.name(),
            submission.payload(),
            submission.metadata(),
            step == null ? null : new TaskView.StepName(step.workflow(), step.name())),
        new TaskView.Report(session == null ? null : session.worker(), progress, result, error));
  }
}
