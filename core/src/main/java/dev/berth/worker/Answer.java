package dev.berth.worker;

/** The user's code for a type that returns a value, which is stored with the task. */
@FunctionalInterface
public interface Answer<P, R> {

  /** Runs one attempt; whatever it throws ends the attempt as failed. */
  R run(P payload, RunningTask task) throws Exception;
}
