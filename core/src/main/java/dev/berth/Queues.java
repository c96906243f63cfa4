package dev.berth;

import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Store;
import dev.berth.view.QueueView;
import java.util.List;
import java.util.Optional;

/** The queues of a store, in the hands of a person or a program. */
public final class Queues {

  private final Store store;

  Queues(Store store) {
    this.store = store;
  }

  /** Each queue that has live tasks or is paused. */
  public List<QueueView> list() {
    return store.reader().queues();
  }

  public Optional<QueueView> find(String name) {
    return list().stream().filter(queue -> queue.queue().equals(name)).findFirst();
  }

  /** No task of this queue starts until it is resumed; running ones go on. */
  public Applied pause(String name) {
    return store.apply(new Command.PauseQueue(name));
  }

  public Applied resume(String name) {
    return store.apply(new Command.ResumeQueue(name));
  }
}
