package dev.berth.worker;

import dev.berth.task.TaskType;

/**
 * Code around every handler of a worker: for tracing, log context, a tenant. It runs on the thread
 * of the handler.
 *
 * <pre>{@code
 * worker.interceptor((type, task, handler) -> {
 *   MDC.put("tenant", task.metadata().get("tenant"));
 *   handler.run();
 * });
 * }</pre>
 *
 * <p>The one that was added first is the outermost. It must run the handler, once. What it throws
 * ends the attempt as if the handler had thrown it, also after the handler has returned. What the
 * handler has thrown ends the attempt also where the interceptor catches it.
 */
@FunctionalInterface
public interface Interceptor {

  void around(TaskType<?, ?> type, RunningTask task, Inner handler) throws Exception;

  /** The next interceptor, or the handler. */
  @FunctionalInterface
  interface Inner {
    void run() throws Exception;
  }
}
