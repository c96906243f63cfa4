package dev.berth.worker;

import dev.berth.store.Store;
import dev.berth.task.Codec;

/** A worker to be given its handlers and started. */
public final class WorkerBuilder {

  private final Store store;
  private final Codec codec;

  public WorkerBuilder(Store store, Codec codec) {
    this.store = store;
    this.codec = codec;
  }
}
