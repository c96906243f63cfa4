package dev.berth.worker;

import dev.berth.task.Outcome;

/**
 * How an attempt ended, said by its own code.
 *
 * @param recorded whether it is in the store already, written under the token of the task: then the
 *     worker hands in nothing
 */
public record Decision(Outcome outcome, boolean recorded) {

  /** To be handed in by the worker. */
  public static Decision of(Outcome outcome) {
    return new Decision(outcome, false);
  }

  /** Written to the store as a part of the work itself. */
  public static Decision recorded(Outcome outcome) {
    return new Decision(outcome, true);
  }
}
