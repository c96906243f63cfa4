package dev.berth.worker;

/** The user's code for a type that returns nothing. */
@FunctionalInterface
public interface Handler<P> {

  /** Runs one attempt; whatever it throws ends the attempt as failed. */
  void run(P payload, RunningTask task) throws Exception;
}
