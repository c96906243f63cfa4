package dev.berth.store;

import dev.berth.limit.Need;
import dev.berth.view.Capacity;
import dev.berth.view.SessionId;
import dev.berth.view.StoreReader;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where the state lives. Every verb is atomic, blocking and safe to call from any thread; no method
 * is optional. What a store must do beyond its signatures is written as tests: a class that extends
 * {@code StoreContract} of berth-testkit.
 *
 * <p>All verbs may throw {@link StoreException}. A lost session or lease is a return value.
 */
public interface Store extends Submitter, AutoCloseable {

  /** Begins a worker's presence: it may claim for as long as it is kept alive by heartbeats. */
  Session open(SessionRequest request);

  /**
   * The one hot call: outcomes are handed in and new work is claimed, in one atomic step. A repeat
   * with the same number (after a lost reply) changes nothing and returns the same claims.
   */
  Exchanged exchange(ExchangeRequest request);

  /**
   * Keeps a session alive for another lease.
   *
   * @param progress what running tasks say of themselves, only where it changed
   */
  Heartbeat heartbeat(SessionId session, Capacity capacity, Map<Lease, String> progress);

  /** Ends a session: what it still holds goes back to the queue without spending an attempt. */
  void leave(SessionId session);

  /**
   * Takes slots of one limit without a task, all that are needed or none, and never waits. They are
   * held until they are released or the session ends. A repeat with the same number (after a lost
   * reply) takes nothing more and returns the same token.
   *
   * @param number of this hold within the session, chosen by the caller and never used again
   */
  Held hold(SessionId session, long number, Need need);

  /** Gives the slots of a hold back; false where the session did not hold them any more. */
  boolean release(SessionId session, long number);

  /** Leaderless upkeep, harmless from any number of processes: promote, expire, prune. */
  Swept sweep();

  /**
   * The second half of a sweep: submits what is due of a schedule and sets its next time, all or
   * nothing. It changes nothing unless the schedule is as it was when the sweep found it: of many
   * who sweep, one succeeds.
   *
   * @return false where the schedule is not as it was
   */
  boolean advance(Advance advance);

  /** Changes something by hand. */
  Applied apply(Command command);

  /** Calls back when work may exist. Hints may be lost and are never needed for correctness. */
  Subscription onWork(Consumer<WakeUp> listener);

  StoreReader reader();

  @Override
  void close();

  /** Ends a subscription; twice is fine. */
  interface Subscription extends AutoCloseable {

    /** Whether hints are known to arrive just now, so that looking without one can be rare. */
    default boolean heard() {
      return false;
    }

    @Override
    void close();
  }

  /** One submission, for callers that have one. */
  static Submitted submitOne(Submitter submitter, Submission submission) {
    return submitter.submit(List.of(submission)).getFirst();
  }
}
