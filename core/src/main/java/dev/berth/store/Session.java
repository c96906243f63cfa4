package dev.berth.store;

import dev.berth.view.SessionId;
import java.time.Duration;
import java.util.List;

/**
 * An open session.
 *
 * @param lease how long it lives after each heartbeat
 * @param differing where its worker's word on a limit was not what was there, by key
 * @param cap what results may have
 */
public record Session(SessionId id, Duration lease, List<Registration> differing, SizeCap cap) {

  public Session {
    differing = List.copyOf(differing);
  }

  /** One whose worker said nothing new. */
  public Session(SessionId id, Duration lease) {
    this(id, lease, List.of(), SizeCap.DEFAULT);
  }
}
