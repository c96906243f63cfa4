package dev.berth.memory;

import dev.berth.store.SessionRequest;
import dev.berth.view.SessionId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sessions that have neither left nor been found dead. Guarded by the lock of the store. */
final class MemorySessions {

  private final Map<SessionId, MemorySession> sessions = new LinkedHashMap<>();
  private long opened;

  MemorySession open(SessionRequest request, Instant now) {
    opened++;
    MemorySession session = new MemorySession(new SessionId("session-" + opened), request, now);
    sessions.put(session.id, session);
    return session;
  }

  /** The session if it is alive: one past its time is dead, whether or not a sweep has found it. */
  @Nullable MemorySession alive(SessionId id, Instant now) {
    MemorySession session = sessions.get(id);
    return session != null && session.aliveAt(now) ? session : null;
  }

  /** The session if it is known: one past its time keeps what it holds until a sweep finds it. */
  @Nullable MemorySession find(SessionId id) {
    return sessions.get(id);
  }

  List<MemorySession> alive(Instant now) {
    return sessions.values().stream().filter(session -> session.aliveAt(now)).toList();
  }

  void remove(MemorySession session) {
    sessions.remove(session.id);
  }

  /** Takes out the sessions past their time. */
  List<MemorySession> removeDead(Instant now) {
    List<MemorySession> dead =
        sessions.values().stream().filter(session -> !session.aliveAt(now)).toList();
    dead.forEach(this::remove);
    return dead;
  }
}
