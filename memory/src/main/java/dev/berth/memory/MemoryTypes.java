package dev.berth.memory;

import dev.berth.store.SessionRequest.Handled;
import dev.berth.task.Retention;
import dev.berth.task.TaskType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What workers said of the types they handle; the newest word counts. */
final class MemoryTypes {

  private final Map<String, Handled> types = new HashMap<>();

  void register(List<Handled> handled) {
    handled.forEach(type -> types.put(type.type(), type));
  }

  /** The type, or the defaults for one that no worker has named so far. */
  Handled get(String type) {
    Handled known = types.get(type);
    return known != null
        ? known
        : new Handled(type, Retention.DEFAULT, TaskType.DEFAULT_MAX_CRASHES);
  }
}
