package dev.berth.worker;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.store.Claim;
import dev.berth.store.ExchangeRequest;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** A listener is told what happened, in numbers that can be trusted. */
class WorkerListenerTest extends WorkerFixture {

  private record Exchange(int asked, int claimed, int handedIn, Duration took, long toldAt) {}

  private record End(TaskId task, Outcome outcome, Duration ran, long toldAt) {}

  private final Queue<Exchange> exchanges = new ConcurrentLinkedQueue<>();
  private final Queue<TaskId> starts = new ConcurrentLinkedQueue<>();
  private final Queue<End> ends = new ConcurrentLinkedQueue<>();

  private void listen() {
    builder.listener(
        new WorkerListener() {
          @Override
          public void exchanged(int asked, int claimed, int handedIn, Duration took) {
            exchanges.add(new Exchange(asked, claimed, handedIn, took, Ticks.now()));
          }

          @Override
          public void started(Claim claim) {
            starts.add(claim.lease().task());
          }

          @Override
          public void ended(Claim claim, Outcome outcome, Duration ran) {
            ends.add(new End(claim.lease().task(), outcome, ran, Ticks.now()));
          }
        });
  }

  @Test
  void anExchangeIsToldAsItWas() {
    builder.claimBatchSize(3).maxConcurrentTasks(7).handle(TEXT, (payload, task) -> {});
    listen();
    for (int i = 0; i < 20; i++) {
      store.add(TEXT, "x");
    }
    Worker worker = start();
    await().until(() -> worker.stats().finished() == 20);
    worker.stop();

    assertThat(exchanges)
        .extracting(Exchange::asked)
        .isEqualTo(all(store.requests(), ExchangeRequest::claims))
        .startsWith(3);
    assertThat(exchanges)
        .extracting(Exchange::claimed)
        .isEqualTo(all(store.answers(), answer -> answer.claims().size()));
    assertThat(exchanges)
        .extracting(Exchange::handedIn)
        .isEqualTo(all(store.requests(), request -> request.ended().size()));
  }

  @Test
  void anExchangeTookWhatItTook() {
    Duration slow = Duration.ofMillis(20);
    store.slow(slow);
    builder.handle(TEXT, (payload, task) -> {});
    listen();
    long began = Ticks.now();
    start();
    await().until(() -> exchanges.size() >= 3);

    List<Exchange> told = List.copyOf(exchanges);
    assertThat(told).allMatch(exchange -> exchange.took().compareTo(slow) >= 0);
    assertThat(told.stream().map(Exchange::took).reduce(Duration.ZERO, Duration::plus))
        .as("together, for they come one after another")
        .isLessThanOrEqualTo(Duration.ofNanos(told.getLast().toldAt() - began));
  }

  @Test
  void anAttemptRanAsLongAsItsHandler() {
    builder.handle(
        TEXT,
        (payload, task) -> {
          long end = Ticks.now() + MILLISECONDS.toNanos(Long.parseLong(payload));
          while (Ticks.now() < end) {
            LockSupport.parkNanos(end - Ticks.now());
          }
        });
    listen();
    long began = Ticks.now();
    TaskId quick = store.add(TEXT, "0");
    TaskId slow = store.add(TEXT, "20");
    start();
    await().until(() -> ends.size() == 2);

    assertThat(starts).containsExactlyInAnyOrder(quick, slow);
    assertThat(ends).extracting(End::outcome).containsOnly(new Outcome.Finished(null));
    for (End end : ends) {
      Duration atLeast = end.task().equals(slow) ? Duration.ofMillis(20) : Duration.ofNanos(1);
      assertThat(end.ran()).isBetween(atLeast, Duration.ofNanos(end.toldAt() - began));
    }
  }

  private static <T> List<Integer> all(List<T> calls, ToIntFunction<T> number) {
    return calls.stream().mapToInt(number).boxed().toList();
  }
}
