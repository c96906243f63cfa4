package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.store.Claim;
import dev.berth.task.Outcome;
import dev.berth.task.Retry;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What becomes of an attempt, by what its handler does. */
class RunnerTest extends WorkerFixture {

  @Test
  void aHandlerThatReturnsHasFinished() {
    BlockingQueue<String> seen = new ArrayBlockingQueue<>(1);
    builder.handle(TEXT, (payload, task) -> seen.add(payload + task.attempt() + task.metadata()));
    TaskId id = store.add(TEXT, "hello");
    Worker worker = start();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished(null));
    assertThat(seen).containsExactly("hello1{of=test}");
    await().until(() -> worker.stats().inFlight() == 0);
    assertThat(worker.stats().finished()).isEqualTo(1);
    assertThat(worker.stats().claimed()).isEqualTo(1);
  }

  @Test
  void theValueOfAnAnswerIsStored() {
    builder.answer(ECHO, (payload, task) -> payload + payload);
    TaskId id = store.add(ECHO, "ab");
    start();

    assertThat(outcome(id)).isEqualTo(new Outcome.Finished("abab"));
  }

  @Test
  void aPayloadThatCannotBeReadFailsAtOnceAndTheWorkerGoesOn() {
    builder.handle(TEXT, (payload, task) -> {});
    TaskId bad = store.add(TEXT, "unreadable");
    TaskId good = store.add(TEXT, "fine");
    start();

    assertThat(outcome(bad)).isEqualTo(new Outcome.Failed("Cannot read a String: field x"));
    assertThat(outcome(good)).isInstanceOf(Outcome.Finished.class);
  }

  @Test
  void aResultThatCannotBeWrittenFailsAtOnce() {
    builder.answer(ECHO, (payload, task) -> payload);
    TaskId id = store.add(ECHO, "unwritable");
    start();

    assertThat(outcome(id))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> assertThat(failed.error()).contains("Cannot write a String: field x"));
  }

  @Test
  void aFailureIsTriedAgainUntilTheAttemptsAreSpent() {
    builder.handle(
        TEXT,
        (payload, task) -> {
          throw new IllegalStateException("no " + task.attempt());
        });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();

    List<Outcome> all = outcomes(id, 3);
    assertThat(all)
        .satisfiesExactly(
            first -> assertThat(first).isInstanceOf(Outcome.Retrying.class),
            second -> assertThat(second).isInstanceOf(Outcome.Retrying.class),
            third -> assertThat(third).isInstanceOf(Outcome.Failed.class));
    assertThat(((Outcome.Failed) all.getLast()).error())
        .startsWith("java.lang.IllegalStateException: no 3\n\tat ")
        .contains("RunnerTest")
        .doesNotContain("VirtualThread", "WorkerBuilder");
    await().until(() -> worker.stats().failed() == 1 && worker.stats().retried() == 2);
  }

  @Test
  void aFailureThePolicyGivesUpOnIsFinal() {
    builder.handle(
        TEXT.retry(Retry.DEFAULT.giveUpOn(IllegalArgumentException.class)),
        (payload, task) -> {
          throw new IllegalArgumentException("hopeless");
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcome(id)).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void errorsAreFailedAttemptsToo() {
    builder.handle(
        TEXT.retry(Retry.never()),
        (payload, task) -> {
          switch (payload) {
            case "assertion" -> throw new AssertionError("wrong");
            case "memory" -> throw new OutOfMemoryError("made up");
            default -> overflow(0);
          }
        });
    List<TaskId> ids =
        List.of(
            store.add(TEXT, "assertion"), store.add(TEXT, "memory"), store.add(TEXT, "overflow"));
    start();

    assertThat(ids)
        .extracting(this::outcome)
        .extracting(outcome -> ((Outcome.Failed) outcome).error().lines().findFirst().orElse(""))
        .containsExactly(
            "java.lang.AssertionError: wrong",
            "java.lang.OutOfMemoryError: made up",
            "java.lang.StackOverflowError");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  @Test
  void aHandlerThatRunsTooLongIsInterruptedAndTheAttemptFailed() {
    AtomicReference<Boolean> stopping = new AtomicReference<>();
    builder.handle(
        TEXT.timeout(Duration.ofMillis(30)).retry(Retry.never()),
        (payload, task) -> {
          try {
            block();
          } finally {
            stopping.set(task.stopping());
          }
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcome(id))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed ->
                assertThat(failed.error())
                    .startsWith(TimeoutException.class.getName() + ": timed out after "));
    assertThat(stopping).hasValue(true);
  }

  @Test
  void aTimedOutHandlerThatReturnsAllTheSameHasFailed() {
    builder.handle(
        TEXT.timeout(Duration.ofMillis(30)),
        (payload, task) -> {
          if (task.attempt() == 1) {
            try {
              block();
            } catch (InterruptedException e) {
              // gives up half way
            }
          }
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcomes(id, 2).getFirst()).isInstanceOf(Outcome.Retrying.class);
    assertThat(outcomes(id, 2).getLast()).isInstanceOf(Outcome.Finished.class);
  }

  @Test
  void theErrorNamesTheTimeoutAndNotHowLongTheHandlerWasDeaf() {
    CountDownLatch twice = new CountDownLatch(1);
    builder.handle(
        TEXT.timeout(Duration.ofMillis(30)).retry(Retry.never()),
        (payload, task) -> {
          try {
            block();
          } catch (InterruptedException e) {
            twice.await(60, TimeUnit.MILLISECONDS); // deaf for twice the timeout
          }
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcome(id)).error())
        .isEqualTo("java.util.concurrent.TimeoutException: timed out after 30 ms");
  }

  @Test
  void aFailureThatCannotBeToldIsFinalAndNeverReleased() {
    builder.handle(
        TEXT,
        (payload, task) -> {
          throw new Unspeakable();
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcomes(id, 3))
        .satisfiesExactly(
            first -> assertThat(first).isInstanceOf(Outcome.Retrying.class),
            second -> assertThat(second).isInstanceOf(Outcome.Retrying.class),
            third -> assertThat(third).isInstanceOf(Outcome.Failed.class));
  }

  /** Fails with an error whenever it is asked anything. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("made up");
    }
  }

  @Test
  void aHandlerCanMoveItsTimeout() {
    BlockingQueue<Duration> left = new ArrayBlockingQueue<>(2);
    builder.handle(
        TEXT.timeout(Duration.ofHours(1)).retry(Retry.never()),
        (payload, task) -> {
          left.add(task.timeLeft().orElseThrow());
          task.extend(Duration.ofMillis(20));
          left.add(task.timeLeft().orElseThrow());
          block();
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcome(id)).error()).contains("timed out");
    assertThat(left.remove()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    assertThat(left.remove()).isLessThanOrEqualTo(Duration.ofMillis(20));
  }

  @Test
  void eachTimeoutIsKeptWhateverElseRuns() {
    builder.handle(TEXT.timeout(Duration.ofHours(1)), (payload, task) -> block());
    builder.answer(
        ECHO.timeout(Duration.ofMillis(20)).retry(Retry.never()),
        (payload, task) -> {
          block();
          return null;
        });
    TaskId slow = store.add(TEXT, "x");
    List<TaskId> quick = List.of(store.add(ECHO, "a"), store.add(ECHO, "b"), store.add(ECHO, "c"));
    builder.stopTimeout(Duration.ZERO);
    start();

    assertThat(quick).extracting(this::outcome).hasOnlyElementsOfType(Outcome.Failed.class);
    assertThat(store.outcomes(slow)).isEmpty();
  }

  @Test
  void aCancelledHandlerIsInterruptedAndTheTaskCancelled() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    builder.handle(
        TEXT,
        (payload, task) -> {
          running.countDown();
          block();
        });
    TaskId id = store.add(TEXT, "x");
    Worker worker = start();
    arrive(running);
    store.cancel(id);

    assertThat(outcome(id)).isInstanceOf(Outcome.Cancelled.class);
    await().until(() -> worker.stats().cancelled() == 1);
  }

  @Test
  void aCancelReachesAWorkerThatHasNoPermitLeft() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    builder
        .maxConcurrentTasks(1)
        .handle(
            TEXT,
            (payload, task) -> {
              running.countDown();
              block();
            });
    TaskId id = store.add(TEXT, "x");
    start();
    arrive(running);
    store.cancel(id);

    assertThat(outcome(id)).isInstanceOf(Outcome.Cancelled.class);
  }

  @Test
  void anInterruptNobodyAskedForIsAFailure() {
    builder.handle(
        TEXT.retry(Retry.never()),
        (payload, task) -> {
          Thread.currentThread().interrupt();
          block();
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(((Outcome.Failed) outcome(id)).error()).startsWith("java.lang.InterruptedException");
  }

  @Test
  void progressGoesOutWithTheHeartbeat() throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(1);
    builder.handle(
        TEXT,
        (payload, task) -> {
          task.progress("half");
          arrive(seen);
        });
    store.add(TEXT, "x");
    start();

    await().until(() -> store.progress().equals(List.of("half")));
    seen.countDown();
  }

  @Test
  void aHandlerCanSubmit() {
    BlockingQueue<String> seen = new ArrayBlockingQueue<>(2);
    builder.handle(
        TEXT,
        (payload, task) -> {
          seen.add(payload);
          if (payload.equals("first")) {
            task.submit(TEXT, "second");
          }
        });
    store.add(TEXT, "first");
    start();

    await().until(() -> seen.size() == 2);
    assertThat(seen).containsExactly("first", "second");
  }

  @Test
  void aListenerThatFailsHarmsNobody() {
    builder.handle(TEXT, (payload, task) -> {});
    builder.listener(
        new WorkerListener() {
          @Override
          public void started(Claim claim) {
            throw new IllegalStateException("listener");
          }
        });
    TaskId id = store.add(TEXT, "x");
    start();

    assertThat(outcome(id)).isInstanceOf(Outcome.Finished.class);
  }

  @Test
  void aListenerHearsWhatWasThrown() {
    BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
    builder.handle(
        TEXT.retry(Retry.fixed(2, Duration.ZERO)),
        (payload, task) -> {
          throw new IllegalStateException("no " + task.attempt());
        });
    builder.answer(ECHO, (payload, task) -> payload);
    builder.listener(
        new WorkerListener() {
          @Override
          public void failed(Claim claim, Outcome outcome, Throwable failure) {
            heard.add(
                claim.type()
                    + " "
                    + outcome.getClass().getSimpleName()
                    + " "
                    + failure.getMessage());
          }

          @Override
          public void ended(Claim claim, Outcome outcome, Duration ran) {
            heard.add(claim.type() + " " + outcome.getClass().getSimpleName());
          }
        });
    outcomesOf(store.add(TEXT, "x"), store.add(ECHO, "unwritable"), store.add(ECHO, "unreadable"));

    assertThat(heard)
        .containsSubsequence(
            "text Retrying no 1", "text Retrying", "text Failed no 2", "text Failed")
        .contains(
            "echo Failed Cannot write a String: field x",
            "echo Failed Cannot read a String: field x");
  }

  private void outcomesOf(TaskId failing, TaskId... others) {
    start();
    outcomes(failing, 2);
    List.of(others).forEach(this::outcome);
  }

  @Test
  void oneHandlerOnEachThread() throws InterruptedException {
    int many = 300;
    CountDownLatch together = new CountDownLatch(many);
    builder.handle(
        TEXT,
        (payload, task) -> {
          together.countDown();
          if (!together.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not all at once");
          }
        });
    for (int i = 0; i < many; i++) {
      store.add(TEXT, "x");
    }
    Worker worker = start();

    await().until(() -> worker.stats().finished() == many);
  }
}
