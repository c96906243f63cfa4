package dev.berth.store;

import dev.berth.limit.Lane;
import dev.berth.limit.Quota;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.Priorities;
import dev.berth.task.Step;
import dev.berth.task.TaskId;
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
    @Nullable Step step) {

  public Submission {
    Names.check("task type", type);
    Names.check("queue", queue);
    Priorities.check(priority);
    metadata = Map.copyOf(metadata);
    quotas = Quota.inOrder(quotas);
    checkText("payload", payload);
    metadata.forEach((key, value) -> {
      checkText("metadata", key);
      checkText("metadata", value);
    });
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
        id, ownId, type, queue, priority, due, payload, metadata, other, quotas, step);
  }

  /** The same as a step of a workflow, under the id of that step. */
  public Submission as(Step place) {
    return new Submission(
        place.taskId(), true, type, queue, priority, due, payload, metadata, lane, quotas, place);
  }

  /** JSON never holds a raw NUL, and not every store can. */
  private static void checkText(String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("The " + what + " of a task contains a NUL character");
    }
  }
}
