package dev.berth.store;

import java.util.List;

/**
 * One exchange of a session.
 *
 * @param number counts up by one with each exchange of the session; a repeat keeps its number
 * @param ended outcomes to hand in
 * @param claims how many new tasks to take at most; 0 takes none
 * @param queues where to take them from, in this order
 */
public record ExchangeRequest(
    SessionId session, long number, List<Ended> ended, int claims, List<String> queues) {

  public ExchangeRequest {
    if (claims < 0) {
      throw new IllegalArgumentException("An exchange cannot claim " + claims + " tasks");
    }
    ended = List.copyOf(ended);
    queues = List.copyOf(queues);
  }
}
