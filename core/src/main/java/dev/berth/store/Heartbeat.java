package dev.berth.store;

import java.util.List;

/**
 * The answer to a heartbeat.
 *
 * @param alive false where the session has expired
 * @param cancelled running tasks of this session that someone asked to cancel
 */
public record Heartbeat(boolean alive, List<Lease> cancelled) {

  public Heartbeat {
    cancelled = List.copyOf(cancelled);
  }
}
