package dev.berth;

import dev.berth.limit.Need;
import java.time.Duration;

/**
 * A slot of a limit, or as many as were asked for, in the hands of the caller until it is closed.
 * It is renewed by itself. Where that fails for too long (the store cannot be reached, or the
 * process stood still) the slot is lost before anybody else may take it: then {@link #token} and
 * {@link #extendLease} throw, and {@link #isLive} says so without.
 *
 * <p>A process can stand still between a look at the slot and the work. A resource that must not be
 * used by two at once should be given the token and refuse one that is lower than it has seen.
 */
public final class Slot implements AutoCloseable {

  private final HoldSession session;
  private final long number;
  private final long token;
  private final Need need;
  private volatile boolean closed;

  Slot(HoldSession session, long number, long token, Need need) {
    this.session = session;
    this.number = number;
    this.token = token;
    this.need = need;
  }

  /**
   * The number that proves that this is the present holder: higher than that of any earlier holder
   * of the slot, be it a task or not.
   *
   * @throws SlotLostException if it is held no more
   */
  public long token() {
    if (!isLive()) {
      throw new SlotLostException(need.key(), token);
    }
    return token;
  }

  /** Whether it is held. */
  public boolean isLive() {
    return !closed && session.isLive();
  }

  /**
   * Renews it now, instead of when it is due, and asks the store whether it is held at all: worth
   * its round trip before a step that must not be done twice.
   *
   * @return how long it is held at least, whatever happens to the network
   * @throws SlotLostException if it is held no more
   */
  public Duration extendLease() {
    if (closed || !session.renew()) {
      throw new SlotLostException(need.key(), token);
    }
    return session.left();
  }

  /** Gives the slot back; a second time, or after it was lost, changes nothing. */
  public void release() {
    if (!closed) {
      closed = true;
      session.release(number);
    }
  }

  /** As {@link #release}. */
  @Override
  public void close() {
    release();
  }

  @Override
  public String toString() {
    return "slot of " + need.key() + " with token " + token;
  }
}
