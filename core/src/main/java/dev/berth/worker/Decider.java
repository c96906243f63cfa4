package dev.berth.worker;

/**
 * Code for a type that says itself how each attempt ended. For work that is done in the store: its
 * outcome can be a part of the same transaction.
 */
@FunctionalInterface
public interface Decider<P> {

  /** Runs one attempt; whatever it throws ends the attempt as failed, by the type's retry rule. */
  Decision run(P payload, RunningTask task) throws Exception;
}
