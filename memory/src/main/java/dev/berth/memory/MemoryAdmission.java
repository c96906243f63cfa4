package dev.berth.memory;

import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether a ready task may start, or slots be held without one: every limit must have the
 * slots, all or nothing.
 *
 * <p>It is fair among sessions: one that gives back slots of a limit and asks for more in the same
 * exchange gets none of that limit if another has asked in vain, so that the other comes first. If
 * it does not come, the next exchange gets them. Guarded by the lock of the store.
 */
final class MemoryAdmission {

  private final MemorySlots slots;
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

  boolean admits(List<Need> needs, MemorySession session, Set<LimitKey> leftToOthers, Instant now) {
    boolean admitted = true;
    for (Need need : needs) {
      if (leftToOthers.contains(need.key()) || !slots.admits(need, now)) {
        inVain.computeIfAbsent(need.key(), key -> new HashSet<>()).add(session);
        admitted = false;
      }
    }
    return admitted;
  }

  /** It got what it asked for. */
  void started(List<Need> needs, MemorySession session) {
    for (Need need : needs) {
      inVain.computeIfPresent(
          need.key(),
          (key, sessions) -> {
            sessions.remove(session);
            return sessions.isEmpty() ? null : sessions;
          });
    }
  }

  void gone(MemorySession session) {
    inVain.values().forEach(sessions -> sessions.remove(session));
    inVain.values().removeIf(Set::isEmpty);
  }
}
