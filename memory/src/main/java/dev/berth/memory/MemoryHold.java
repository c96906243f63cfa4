package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.view.LimitView.Holder;
import java.time.Instant;
import java.util.List;

/** Slots that a session holds without a task. */
record MemoryHold(MemorySession session, long number, long token, Need need, Instant takenAt)
    implements SlotHolder {

  @Override
  public List<Need> needs() {
    return List.of(need);
  }

  @Override
  public Holder holder(int weight) {
    return new Holder(
        null, null, token, session.worker(), session.expiresAt(), takenAt, NO_GROUP, weight);
  }
}
