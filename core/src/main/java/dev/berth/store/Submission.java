package dev.berth.store;

import dev.berth.limit.Lane;
import dev.berth.limit.Quota;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.Priorities;
import dev.berth.task.TaskId;
import java.util.List;
import java.util.Map;

/**
 * One task on its way into the store.
 *
 * @param ownId whether the caller chose the id: then ended tasks in the history count as existing
 * @param payload JSON
 * @param quotas in the order in which they decide when several are full
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
    List<Quota> quotas) {

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

  /** A task under no quota. */
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
    this(id, ownId, type, queue, priority, due, payload, metadata, lane, List.of());
  }

  /** The same task in another lane. */
  public Submission in(Lane other) {
    return new Submission(id, ownId, type, queue, priority, due, payload, metadata, other, quotas);
  }

  /** JSON never holds a raw NUL, and not every store can. */
  private static void checkText(String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("The " + what + " of a task contains a NUL character");
    }
  }
}
