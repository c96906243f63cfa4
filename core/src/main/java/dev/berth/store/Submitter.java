package dev.berth.store;

import java.util.List;

/** Makes tasks durable: a store, or a store joined to the caller's own transaction. */
public interface Submitter {

  /**
   * Makes the whole batch durable, or none of it.
   *
   * @return one answer per submission, in their order
   */
  List<Submitted> submit(List<Submission> batch);
}
