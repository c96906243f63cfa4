package dev.berth.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs something on several threads that start at the same moment. */
final class Together {

  /** What one of the threads does. */
  interface Part<T> {
    T run(int number) throws Exception;
  }

  private Together() {}

  /**
   * The answers of all threads, in the order of their numbers from 0. Where one fails, or the
   * caller is interrupted, the others are interrupted.
   */
  static <T> List<T> run(int threads, Part<T> part) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        futures.add(
            executor.submit(() -> {
              start.await();
              try {
                return part.run(number);
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
                executor.shutdownNow();
                throw e;
              }
            }));
      }
      List<T> answers = new ArrayList<>();
      try {
        for (Future<T> future : futures) {
          answers.add(future.get());
        }
      } finally {
        executor.shutdownNow();
      }
      return answers;
    } catch (ExecutionException e) {
      throw new AssertionError("A thread failed", failure.get());
    }
  }
}
