package dev.berth.worker;

import static org.awaitility.Awaitility.await;

import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import dev.berth.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A worker on a scripted store, and the ways to wait for what it does. */
@Timeout(60)
abstract class WorkerFixture {

  static final TaskType<String, Void> TEXT =
      TaskType.of("text", String.class).retry(Retry.fixed(3, Duration.ZERO));
  static final TaskType<String, String> ECHO =
      TaskType.of("echo", String.class).returning(String.class);

  static {
    Awaitility.setDefaultPollInterval(Duration.ofMillis(2));
    Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
  }

  final ScriptedStore store = new ScriptedStore();
  private Worker worker;

  /** Quick where a test would wait, slow where it must not happen by chance. */
  final WorkerBuilder builder =
      new WorkerBuilder(store, new TextCodec())
          .environment(Map.of())
          .name("tested")
          .pollInterval(Duration.ofMillis(10))
          .heartbeatInterval(Duration.ofMillis(20))
          .stopTimeout(Duration.ofSeconds(10));

  final Worker start() {
    worker = builder.start();
    return worker;
  }

  @AfterEach
  final void stop() {
    store.down(false);
    store.holdExchanges(null);
    store.holdHeartbeats(null);
    if (worker != null) {
      worker.stop();
    }
  }

  /** Waits for the outcome of a task that has but one. */
  final Outcome outcome(TaskId id) {
    return outcomes(id, 1).getFirst();
  }

  final List<Outcome> outcomes(TaskId id, int count) {
    await().until(() -> store.outcomes(id).size() >= count);
    return store.outcomes(id);
  }

  static void arrive(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("Nobody came");
    }
  }

  /** Blocks until interrupted. */
  static void block() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  /** Blocks whether interrupted or not. */
  static void blockDeafly(CountDownLatch until) {
    while (until.getCount() > 0) {
      try {
        until.await();
      } catch (InterruptedException e) {
        // deaf
      }
    }
  }
}
