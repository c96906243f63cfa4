package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides whether a ready task may start, or slots be held without one: every limit must have the
 * slots, all or nothing.
 *
 * <p>It is fair among sessions: one that gives back slots of a limit and asks for more in the same
 * exchange gets none of that limit if another has asked in vain, so that the other comes first. If
 * it does not come, the next exchange gets them. And it is fair to who needs several slots at once:
 * see {@link MemoryReservations}. Guarded by the lock of the store.
 */
final class MemoryAdmission {

  private final MemorySlots slots;
  private final MemoryReservations reservations = new MemoryReservations();
  private final Map<LimitKey, Set<MemorySession>> inVain = new HashMap<>();

  MemoryAdmission(MemorySlots slots) {
    this.slots = slots;
  }

  /** The limits that a session leaves to others in an exchange that gave back slots of these. */
  Set<LimitKey> leftToOthers(MemorySession session, Set<LimitKey> givenBack) {
    Set<LimitKey> left = new HashSet<>();
    for (LimitKey key : givenBack) {
      Set<MemorySession> asked = inVain.get(key);
      if (asked != null && asked.stream().anyMatch(other -> other != session)) {
        left.add(key);
        inVain.remove(key);
      }
    }
    return left;
  }

  /**
   * Whether they may be taken.
   *
   * @param owner for whom: a lane, or a session that asks for a hold
   */
  boolean admits(
      List<Need> needs,
      String owner,
      MemorySession session,
      Set<LimitKey> leftToOthers,
      Instant now) {
    boolean admitted = !reservations.keepsBack(needs, owner, now);
    for (Need need : needs) {
      if (leftToOthers.contains(need.key()) || !slots.admits(need, now)) {
        inVain.computeIfAbsent(need.key(), key -> new HashSet<>()).add(session);
        admitted = false;
        if (need.weight() > 1 && slots.couldAdmit(need) && hasRoomForLight(needs, now)) {
          reservations.askedInVain(need.key(), owner, now);
        }
      }
    }
    return admitted;
  }

  /** Else it would have to wait for another limit all the same, with slots left to it. */
  private boolean hasRoomForLight(List<Need> needs, Instant now) {
    return needs.stream().filter(need -> need.weight() == 1).allMatch(n -> slots.admits(n, now));
  }

  /** Whether this limit is left to somebody else. */
  boolean isReserved(LimitKey key, String owner, Instant now) {
    return reservations.isReserved(key, owner, now);
  }

  /** It got what it asked for. */
  void started(List<Need> needs, String owner, MemorySession session) {
    reservations.started(needs, owner);
    for (Need need : needs) {
      inVain.computeIfPresent(
          need.key(),
          (key, sessions) -> {
            sessions.remove(session);
            return sessions.isEmpty() ? null : sessions;
          });
    }
  }

  /** The queues of the sessions that asked in vain for slots of these limits. */
  Set<String> waiting(Set<LimitKey> keys) {
    Set<String> queues = new TreeSet<>();
    for (LimitKey key : keys) {
      inVain.getOrDefault(key, Set.of()).forEach(session -> queues.addAll(session.queues()));
    }
    return queues;
  }

  void gone(MemorySession session) {
    inVain.values().forEach(sessions -> sessions.remove(session));
    inVain.values().removeIf(Set::isEmpty);
  }
}
