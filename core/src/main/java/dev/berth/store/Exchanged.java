package dev.berth.store;

import java.util.List;

/** The answer to an exchange. */
public sealed interface Exchanged {

  /**
   * The exchange took place.
   *
   * @param claims new work
   * @param stale outcomes that were refused because their lease had been taken away
   * @param cancelled running tasks of this session that someone asked to cancel
   */
  record Done(List<Claim> claims, List<Lease> stale, List<Lease> cancelled) implements Exchanged {
    public Done {
      claims = List.copyOf(claims);
      stale = List.copyOf(stale);
      cancelled = List.copyOf(cancelled);
    }
  }

  /** The session has expired: nothing was recorded, and its tasks belong to others. */
  record SessionLost() implements Exchanged {}
}
