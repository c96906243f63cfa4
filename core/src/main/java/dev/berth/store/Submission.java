package dev.berth.store;

import dev.berth.limit.Lane;
import dev.berth.limit.Quota;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.Priorities;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
import dev.berth.value.Texts;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One task on its way into the store.
 *
 * @param ownId whether the caller chose the id: then ended tasks in the history count as existing
 * @param payload JSON
 * @param quotas in the order in which they decide when several are full
 * @param step its place in a workflow; null for a task that stands alone
 * @param name the text that its id was made from; null where there is none
 */
public record Submission(
    TaskId id,
    boolean ownId,
    String type,
    String queue,
    int priority,
    Due due,
    String payload,
    Map<String, String> metadata,
    Lane lane,
    List<Quota> quotas,
    @Nullable Step step,
    @Nullable String name) {

  public Submission {
    Names.check("task type", type);
    Names.check("queue", queue);
    if (name != null) {
      Names.check("task", name);
    }
    Priorities.check(priority);
    lane.checkBytes(type, queue);
    metadata = Map.copyOf(metadata);
    quotas = Quota.inOrder(quotas);
    Quota.checkKeys(type, quotas);
    Texts.check("The payload of a task", payload);
    metadata.forEach((key, value) -> {
      Texts.check("The metadata of a task", key);
      Texts.check("The metadata of a task", value);
    });
  }

  /** A task whose id was made from no text. */
  public Submission(
      TaskId id,
      boolean ownId,
      String type,
      String queue,
      int priority,
      Due due,
      String payload,
      Map<String, String> metadata,
      Lane lane,
      List<Quota> quotas,
      @Nullable Step step) {
    this(id, ownId, type, queue, priority, due, payload, metadata, lane, quotas, step, null);
  }

  /** A task under no quota, which stands alone. */
  public Submission(
      TaskId id,
      boolean ownId,
      String type,
      String queue,
      int priority,
      Due due,
      String payload,
      Map<String, String> metadata,
      Lane lane) {
    this(id, ownId, type, queue, priority, due, payload, metadata, lane, List.of(), null);
  }

  /** The same task in another lane. */
  public Submission in(Lane other) {
    return new Submission(
        id, ownId, type, queue, priority, due, payload, metadata, other, quotas, step, name);
  }

  /** The same as a step of a workflow, under the id of that step. */
  public Submission as(Step place) {
    return new Submission(
        place.taskId(), true, type, queue, priority, due, payload, metadata, lane, quotas, place);
  }

  /**
   * To submit a task again is fine; another task under its id is a conflict.
   *
   * @param payload of the task that is there; null where it is not known
   * @param named the text that the id was made from, if any
   */
  public void checkSame(String otherType, @Nullable String otherPayload, @Nullable String named) {
    boolean sameType = type.equals(otherType);
    if (!sameType || otherPayload != null && !otherPayload.equals(payload)) {
      throw new StoreException(
          StoreException.Kind.CONFLICT,
          "The task %s%s of type %s was not submitted: this id belongs to a task of type %s%s"
              .formatted(
                  id,
                  named == null ? "" : " (" + named + ")",
                  type,
                  otherType,
                  sameType ? " with another payload" : ""));
    }
  }
}
