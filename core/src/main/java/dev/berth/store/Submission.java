package dev.berth.store;

import dev.berth.limit.Lane;
import dev.berth.task.Due;
import dev.berth.task.Names;
import dev.berth.task.Priorities;
import dev.berth.task.TaskId;
import java.util.Map;

/**
 * One task on its way into the store.
 *
 * @param ownId whether the caller chose the id: then ended tasks in the history count as existing
 * @param payload JSON
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
    Lane lane) {

  public Submission {
    Names.check("task type", type);
    Names.check("queue", queue);
    Priorities.check(priority);
    metadata = Map.copyOf(metadata);
    checkText("payload", payload);
    metadata.forEach((key, value) -> {
      checkText("metadata", key);
      checkText("metadata", value);
    });
  }

  /** JSON never holds a raw NUL, and not every store can. */
  private static void checkText(String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("The " + what + " of a task contains a NUL character");
    }
  }
}
