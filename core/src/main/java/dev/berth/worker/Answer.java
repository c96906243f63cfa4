package dev.berth.worker;

import org.jspecify.annotations.Nullable;

/** The user's code for a type that returns a value, which is stored with the task. */
@FunctionalInterface
public interface Answer<P, R> {

  /** Runs one attempt; whatever it throws ends the attempt as failed. Null stores no result. */
  @Nullable R run(P payload, RunningTask task) throws Exception;
}
