package dev.berth.testkit;

import dev.berth.limit.Lane;
import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.limit.Quota;
import dev.berth.limit.WhenFull;
import dev.berth.store.Submission;
import dev.berth.task.Due;
import dev.berth.task.OnFailure;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
            Map.of(),
            Lane.OPEN));
  }

  public TaskId id() {
    return submission.id();
  }

  public Draft ownId(TaskId id) {
    return with(id, true, submission.type(), submission.queue(), submission.priority());
  }

  /** An id that is made from the type and this text; name the type before. */
  public Draft named(String name) {
    Submission is = submission;
    return new Draft(
        new Submission(
            TaskId.named(is.type(), name),
            true,
            is.type(),
            is.queue(),
            is.priority(),
            is.due(),
            is.payload(),
            is.metadata(),
            is.lane(),
            is.quotas(),
            is.step(),
            name));
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
    return with(due, submission.payload(), submission.metadata(), submission.lane());
  }

  public Draft payload(String json) {
    return with(submission.due(), json, submission.metadata(), submission.lane());
  }

  public Draft metadata(Map<String, String> pairs) {
    return with(submission.due(), submission.payload(), pairs, submission.lane());
  }

  /** Under one limit more. */
  public Draft under(Limit limit) {
    return under(limit, 1);
  }

  /** Under one limit more, of which it takes so many slots. */
  public Draft under(Limit limit, int weight) {
    return under(Need.of(limit, weight));
  }

  /** Under one limit more, with this number of slots where the store knows none. */
  public Draft under(LimitKey key, int slots) {
    return under(new Need(key, 1, slots));
  }

  private Draft under(Need more) {
    List<Need> needs = new ArrayList<>(submission.lane().needs());
    needs.add(more);
    return with(submission.due(), submission.payload(), submission.metadata(), new Lane(needs));
  }

  /** Under one quota more. */
  public Draft quota(LimitKey key, int most, WhenFull whenFull) {
    List<Quota> quotas = new ArrayList<>(submission.quotas());
    quotas.add(new Quota(key, most, whenFull));
    return with(
        submission.due(), submission.payload(), submission.metadata(), submission.lane(), quotas);
  }

  /** A step of a workflow, under the id of that step. */
  public Draft step(String workflow, String name) {
    return step(workflow, name, OnFailure.HALT);
  }

  public Draft step(String workflow, String name, OnFailure onFailure) {
    return new Draft(submission.as(new Step(workflow, name, onFailure)));
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
            submission.metadata(),
            submission.lane(),
            submission.quotas(),
            submission.step(),
            submission.name()));
  }

  private Draft with(Due due, String payload, Map<String, String> metadata, Lane lane) {
    return with(due, payload, metadata, lane, submission.quotas());
  }

  private Draft with(
      Due due, String payload, Map<String, String> metadata, Lane lane, List<Quota> quotas) {
    return new Draft(
        new Submission(
            id(),
            submission.ownId(),
            submission.type(),
            submission.queue(),
            submission.priority(),
            due,
            payload,
            metadata,
            lane,
            quotas,
            submission.step(),
            submission.name()));
  }
}
