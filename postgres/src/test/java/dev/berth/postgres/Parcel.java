package dev.berth.postgres;

import dev.berth.task.Retry;
import dev.berth.task.TaskType;

/** A task whose payload is as large as a test wants. */
record Parcel(String content) {

  static final TaskType<Parcel, Void> TYPE =
      TaskType.of("parcel", Parcel.class).retry(Retry.never());
}
