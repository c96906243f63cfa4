package dev.berth.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer to an exchange. */
public sealed interface Exchanged {

  /**
   * The exchange took place.
   *
   * @param claims new work; with an empty payload where the request was {@link
   *     ExchangeRequest#unread}
   * @param stale outcomes that were refused because their lease had been taken away
   * @param aside outcomes that are not recorded yet, to be handed in again with a later exchange:
   *     somebody else has locked their tasks or workflows
   * @param cancelled running tasks of this session that someone asked to cancel
   * @param again when a task under a paced limit may start, which could not now; null for none
   * @param refused why none of the outcomes could be recorded, if so: one of them at least is wrong
   */
  record Done(
      List<Claim> claims,
      List<Lease> stale,
      List<Lease> aside,
      List<Lease> cancelled,
      @Nullable Duration again,
      @Nullable StoreException refused)
      implements Exchanged {

    public Done(
        List<Claim> claims, List<Lease> stale, List<Lease> cancelled, @Nullable Duration again) {
      this(claims, stale, List.of(), cancelled, again, null);
    }

    public Done(List<Claim> claims, List<Lease> stale, List<Lease> cancelled) {
      this(claims, stale, List.of(), cancelled, null, null);
    }

    public Done {
      claims = List.copyOf(claims);
      stale = List.copyOf(stale);
      aside = List.copyOf(aside);
      cancelled = List.copyOf(cancelled);
    }
  }

  /** The session has expired: nothing was recorded, and its tasks belong to others. */
  record SessionLost() implements Exchanged {}
}
