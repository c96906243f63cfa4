package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Slots that are left to who needs several of a limit at once, and would wait for ever while others
 * take each one that comes back. The first who asks in vain is noted; a while later nobody else
 * starts under the limit until it has started, for as long as somebody asks for it. Who has a
 * reservation does not wait for those of others, or two could wait for each other. Guarded by the
 * lock of the store.
 */
final class MemoryReservations {

  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration ASKED_LATELY = Duration.ofSeconds(3);

  /** A lane, or a session that asks for a hold, and when free slots are left to it. */
  private record Reservation(String owner, Instant from, Instant until) {
    boolean holds(Instant now) {
      return !now.isBefore(from) && !now.isAfter(until);
    }
  }

  private final Map<LimitKey, Reservation> reservations = new HashMap<>();

  /** There were not enough slots, though the limit has as many. */
  void askedInVain(LimitKey key, String owner, Instant now) {
    Reservation known = reservations.get(key);
    boolean live = known != null && known.until().isAfter(now);
    if (known == null || !live || known.owner().equals(owner)) {
      Instant from = known != null && live ? known.from() : now.plus(PATIENCE);
      reservations.put(key, new Reservation(owner, from, now.plus(ASKED_LATELY)));
    }
  }

  /** Whether some of these limits are left to somebody else. */
  boolean keepsBack(List<Need> needs, String owner, Instant now) {
    boolean others = false;
    for (Need need : needs) {
      Reservation reservation = reservations.get(need.key());
      if (reservation != null && reservation.holds(now)) {
        if (reservation.owner().equals(owner)) {
          return false;
        }
        others = true;
      }
    }
    return others;
  }

  /** Whether this limit is left to somebody else. */
  boolean isReserved(LimitKey key, String owner, Instant now) {
    Reservation reservation = reservations.get(key);
    return reservation != null && reservation.holds(now) && !reservation.owner().equals(owner);
  }

  void started(List<Need> needs, String owner) {
    for (Need need : needs) {
      reservations.computeIfPresent(
          need.key(), (key, known) -> known.owner().equals(owner) ? null : known);
    }
  }
}
