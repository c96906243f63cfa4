package dev.berth.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes Ctrl-C interrupt the thread that opened this, and the process wait until that thread has
 * closed what it holds.
 */
final class CleanStop implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 20;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  CleanStop() {
    Thread running = Thread.currentThread();
    hook = new Thread(() -> stop(running), "clean-stop");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the process is ending: the hook is what called us here
    }
  }

  private void stop(Thread running) {
    running.interrupt();
    try {
      closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
