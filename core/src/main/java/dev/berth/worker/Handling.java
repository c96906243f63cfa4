package dev.berth.worker;

import dev.berth.store.SessionRequest;
import dev.berth.task.TaskType;
import java.util.concurrent.ThreadFactory;

/** A task type, the code for it, and the threads that run it. */
record Handling<P, R>(TaskType<P, ?> type, Answer<P, R> code, ThreadFactory threads) {

  Handling(TaskType<P, ?> type, Answer<P, R> code) {
    this(type, code, Thread.ofVirtual().name("berth " + type.name()).factory());
  }

  SessionRequest.Handled handled(FileLimits file) {
    return new SessionRequest.Handled(
        type.name(),
        type.retention(),
        type.maxCrashes(),
        file.over(type.name(), type.limits().rules(type.name())));
  }
}
