package dev.berth.worker;

import dev.berth.task.TaskType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A handler with one interceptor around it. */
record Intercepted<P, R>(TaskType<P, ?> type, Interceptor interceptor, Answer<P, R> inner)
    implements Answer<P, R> {

  private static final Logger LOG = LoggerFactory.getLogger(Intercepted.class);

  @Override
  public @Nullable R run(P payload, RunningTask task) throws Exception {
    Once<P, R> once = new Once<>(inner, payload, task);
    try {
      interceptor.around(type, task, once);
    } catch (Exception | Error e) {
      if (!(once.result instanceof Decision decision && decision.recorded())) {
        throw e;
      }
      LOG.warn("An interceptor failed after the outcome of task {} was recorded", task.id(), e);
    }
    return once.result();
  }

  /** Runs what is inside, and keeps how it ended. */
  private static final class Once<P, R> implements Interceptor.Inner {

    private final Answer<P, R> inner;
    private final P payload;
    private final RunningTask task;
    private boolean begun;
    private @Nullable R result;
    private @Nullable Exception failure;

    Once(Answer<P, R> inner, P payload, RunningTask task) {
      this.inner = inner;
      this.payload = payload;
      this.task = task;
    }

    @Override
    public void run() throws Exception {
      if (begun) {
        throw new IllegalStateException("An interceptor ran the handler twice");
      }
      begun = true;
      try {
        result = inner.run(payload, task);
      } catch (Exception e) {
        failure = e;
        throw e;
      }
    }

    @Nullable R result() throws Exception {
      if (!begun) {
        throw new IllegalStateException("An interceptor did not run the handler");
      }
      if (failure != null) {
        throw failure;
      }
      return result;
    }
  }
}
