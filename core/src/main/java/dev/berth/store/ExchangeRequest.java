package dev.berth.store;

import dev.berth.view.SessionId;
import java.util.List;
import java.util.Map;

/**
 * One exchange of a session.
 *
 * @param number counts up by one with each exchange of the session; a repeat keeps its number
 * @param ended outcomes to hand in
 * @param claims how many new tasks to take at most; 0 takes none
 * @param queues where to take them from, in this order
 * @param ahead which standbys to claim besides; a store may give fewer or none
 * @param bytes how much may be claimed: no further task once the payloads and metadata of those
 *     before it have as many bytes. {@value #UNREAD} in a repeat: claims come without their payload
 */
public record ExchangeRequest(
    SessionId session,
    long number,
    List<Ended> ended,
    int claims,
    List<String> queues,
    Ahead ahead,
    long bytes) {

  /** For a repeat, where the payloads of the first answer did not fit into memory. */
  public static final long UNREAD = 0;

  private static final long ANY = Long.MAX_VALUE;

  /**
   * Standbys that are wanted from the first, with slots that the exchange takes anew.
   *
   * @param perSlot how many for each slot, by type; none where it is not named
   * @param most how many tasks the exchange may claim with all standbys
   */
  public record Ahead(Map<String, Integer> perSlot, int most) {

    public static final Ahead NONE = new Ahead(Map.of(), 0);

    public Ahead {
      perSlot = Map.copyOf(perSlot);
    }
  }

  /** Without standbys, of any size. */
  public ExchangeRequest(
      SessionId session, long number, List<Ended> ended, int claims, List<String> queues) {
    this(session, number, ended, claims, queues, Ahead.NONE, ANY);
  }

  public ExchangeRequest {
    if (claims < 0) {
      throw new IllegalArgumentException("An exchange cannot claim " + claims + " tasks");
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("An exchange cannot claim " + bytes + " bytes");
    }
    ended = List.copyOf(ended);
    queues = List.copyOf(queues);
  }

  /** Only its outcomes. */
  public ExchangeRequest withoutClaims() {
    return new ExchangeRequest(session, number, ended, 0, queues);
  }

  /** Only its claims. */
  public ExchangeRequest withoutOutcomes() {
    return new ExchangeRequest(session, number, List.of(), claims, queues, ahead, bytes);
  }

  /**
   * Whether these are as much as it asked for, so that there is likely more.
   *
   * @param aside how many outcomes it put aside, which keep their places
   */
  public boolean filledBy(List<Claim> claimed, int aside) {
    return claimed.size() + aside >= claims
        || !claimed.isEmpty() && claimed.stream().mapToLong(Claim::size).sum() >= bytes;
  }

  /** The same once more; what it claims goes back, and its payloads need not be sent. */
  public ExchangeRequest unread() {
    return new ExchangeRequest(session, number, ended, claims, queues, ahead, UNREAD);
  }
}
