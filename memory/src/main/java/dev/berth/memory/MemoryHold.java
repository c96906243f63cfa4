package dev.berth.memory;

import dev.berth.limit.Need;
import dev.berth.store.LimitView.Holder;
import java.util.List;

/** Slots that a session holds without a task. */
record MemoryHold(MemorySession session, long number, long token, Need need) implements SlotHolder {

  @Override
  public List<Need> needs() {
    return List.of(need);
  }

  @Override
  public Holder holder(int weight) {
    return new Holder(null, null, token, session.worker(), session.expiresAt(), NO_GROUP, weight);
  }
}
