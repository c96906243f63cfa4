package dev.berth;

import dev.berth.limit.LimitKey;

/** The slot belongs to others by now: its holder was not heard of for longer than its lease. */
public final class SlotLostException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  SlotLostException(LimitKey key, long token) {
    super(
        "The slot of "
            + key
            + " with token "
            + token
            + " is lost: it was released, or could not be renewed in time, and others may hold it"
            + " now. Stop what it protects, and acquire another");
  }
}
