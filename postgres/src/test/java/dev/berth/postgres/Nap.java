package dev.berth.postgres;

import dev.berth.task.TaskType;

/** Work that takes a known time. */
record Nap(int millis) {

  static final TaskType<Nap, Void> TYPE = TaskType.of("nap", Nap.class);

  void take() throws InterruptedException {
    if (millis > 0) {
      Thread.sleep(millis);
    }
  }
}
