package dev.berth.worker;

import dev.berth.store.SessionRequest;
import dev.berth.task.TaskType;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.slf4j.event.Level;

/** A task type, the code for it, the threads that run it, and where its failures are logged. */
record Handling<P, R>(
    TaskType<P, ?> type, Answer<P, R> code, ThreadFactory threads, FailureLog failures) {

  Handling(TaskType<P, ?> type, Answer<P, R> code) {
    this(
        type,
        code,
        Thread.ofVirtual().name("berth " + type.name()).factory(),
        FailureLog.of(type.name()));
  }

  Handling<P, R> logging(Level retried, Level failed) {
    return new Handling<>(type, code, threads, new FailureLog(failures.log(), retried, failed));
  }

  /** The same with these around its code, the first of them outermost. */
  Handling<P, R> within(List<Interceptor> interceptors) {
    Answer<P, R> whole = code;
    for (Interceptor each : interceptors.reversed()) {
      whole = new Intercepted<>(type, each, whole);
    }
    return new Handling<>(type, whole, threads, failures);
  }

  SessionRequest.Handled handled(FileLimits file) {
    return new SessionRequest.Handled(
        type.name(),
        type.retention(),
        type.maxCrashes(),
        file.over(type.name(), type.limits().rules(type.name())),
        type.limits().quotas().rules(type.name()));
  }
}
