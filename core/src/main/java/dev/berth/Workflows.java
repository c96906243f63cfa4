package dev.berth;

import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Store;
import dev.berth.view.WorkflowView;
import java.util.List;
import java.util.Optional;

/** The workflows of a store, in the hands of a person or a program. */
public final class Workflows {

  private final Store store;

  Workflows(Store store) {
    this.store = store;
  }

  /**
   * Those that are known, without their steps: the halted ones first, then by name.
   *
   * @param most how many at most, up to 10,000
   */
  public List<WorkflowView> list(int most) {
    return store.reader().workflows(most);
  }

  /** The workflow as a whole, with its steps. */
  public Optional<WorkflowView> find(String name) {
    return store.reader().workflow(name);
  }

  /** Retries the step that holds the others, and the steps that were cancelled, in their order. */
  public Applied retry(String name) {
    return store.apply(new Command.RetryWorkflow(name));
  }

  /** The workflow goes on as if this step were not there; a running one is asked to stop. */
  public Applied skip(String name, String step) {
    return store.apply(new Command.SkipStep(name, step));
  }

  /**
   * All its steps that have not ended are cancelled. Steps that are appended later are cancelled
   * too, until a step is retried.
   */
  public Applied cancel(String name, String reason) {
    return store.apply(new Command.CancelWorkflow(name, reason));
  }
}
