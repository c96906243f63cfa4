package dev.berth.testkit;

import dev.berth.store.Submission;
import dev.berth.task.Due;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.Map;

/** A submission in the making. Immutable: each method returns a changed copy. */
public record Draft(Submission submission) {

  /** The type of a draft that names none. */
  public static final String TYPE = "mail";

  /** A task with a fresh id, due at once, in the default queue. */
  public static Draft task() {
    return new Draft(
        new Submission(
            TaskId.next(),
            false,
            TYPE,
            TaskType.DEFAULT_QUEUE,
            TaskType.DEFAULT_PRIORITY,
            Due.NOW,
            "{}",
            Map.of()));
  }

  public TaskId id() {
    return submission.id();
  }

  public Draft ownId(TaskId id) {
    return with(id, true, submission.type(), submission.queue(), submission.priority());
  }

  public Draft type(String type) {
    return with(id(), submission.ownId(), type, submission.queue(), submission.priority());
  }

  public Draft queue(String queue) {
    return with(id(), submission.ownId(), submission.type(), queue, submission.priority());
  }

  public Draft priority(int priority) {
    return with(id(), submission.ownId(), submission.type(), submission.queue(), priority);
  }

  public Draft delay(Duration delay) {
    return due(Due.after(delay));
  }

  public Draft due(Due due) {
    return with(due, submission.payload(), submission.metadata());
  }

  public Draft payload(String json) {
    return with(submission.due(), json, submission.metadata());
  }

  public Draft metadata(Map<String, String> pairs) {
    return with(submission.due(), submission.payload(), pairs);
  }

  private Draft with(TaskId id, boolean ownId, String type, String queue, int priority) {
    return new Draft(
        new Submission(
            id,
            ownId,
            type,
            queue,
            priority,
            submission.due(),
            submission.payload(),
            submission.metadata()));
  }

  private Draft with(Due due, String payload, Map<String, String> metadata) {
    return new Draft(
        new Submission(
            id(),
            submission.ownId(),
            submission.type(),
            submission.queue(),
            submission.priority(),
            due,
            payload,
            metadata));
  }
}
