package dev.berth.worker;

import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import java.time.Duration;

/** Hears what a worker does; for metrics and logs. Called on the worker's threads: be quick. */
public interface WorkerListener {

  /** An exchange came back. */
  default void exchanged(int asked, int claimed, int handedIn, Duration took) {}

  /** A handler is about to run. */
  default void started(Claim claim) {}

  /**
   * An attempt failed with this: for good, or to be tried again, as the outcome says. Told before
   * {@link #ended}, and only where there is a throwable: code that decides itself may have none.
   */
  default void failed(Claim claim, Outcome outcome, Throwable failure) {}

  /**
   * An attempt is over, and its outcome waits to be handed in. Not told of attempts whose session
   * was lost: they have no outcome.
   */
  default void ended(Claim claim, Outcome outcome, Duration ran) {}

  /** An outcome was refused: the lease had been taken away. */
  default void stale(Claim claim) {}

  /** The session expired; its tasks were stopped here and belong to others. */
  default void sessionLost() {}
}
