package dev.berth.store;

import java.util.List;
import java.util.Set;

/**
 * The answer to a heartbeat.
 *
 * @param alive false where the session has expired
 * @param cancelled running tasks of this session that someone asked to cancel
 * @param untold tasks whose progress was not written, to be told again: somebody else has locked
 *     them
 */
public record Heartbeat(boolean alive, List<Lease> cancelled, Set<Lease> untold) {

  public Heartbeat(boolean alive, List<Lease> cancelled) {
    this(alive, cancelled, Set.of());
  }

  public Heartbeat {
    cancelled = List.copyOf(cancelled);
    untold = Set.copyOf(untold);
  }
}
