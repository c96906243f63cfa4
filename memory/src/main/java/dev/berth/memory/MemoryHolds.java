package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.store.Held;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Slots held without a task. Guarded by the lock of the store. */
record MemoryHolds(
    MemoryLimits limits, MemorySlots slots, MemoryAdmission admission, MemoryAttempts attempts) {

  Held hold(MemorySession session, long number, Need need, Instant now) {
    MemoryHold before = session.holds.get(number);
    if (before != null) {
      return new Held.Done(before.token());
    }
    List<Need> needs = List.of(need);
    limits.named(needs);
    String owner = "hold " + session.id;
    if (!admission.admits(needs, owner, session, Set.of(), now)) {
      return new Held.NoSlot();
    }
    MemoryHold hold = new MemoryHold(session, number, attempts.nextToken(), need, now);
    session.holds.put(number, hold);
    slots.take(hold, now);
    admission.started(needs, owner, session);
    return new Held.Done(hold.token());
  }

  boolean release(MemorySession session, long number) {
    MemoryHold hold = session.holds.remove(number);
    if (hold != null) {
      slots.giveBack(hold);
    }
    return hold != null;
  }

  /** The session has ended. */
  void releaseAll(MemorySession session) {
    List.copyOf(session.holds.keySet()).forEach(number -> release(session, number));
  }
}
