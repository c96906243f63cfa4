package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.store.Claim;
import dev.berth.store.Lease;
import dev.berth.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EndedAttemptsTest {

  private final EndedAttempts ended = new EndedAttempts(new Signal());

  @Test
  void areTakenInTheirOrderAndOnce() {
    List<Attempt> all = List.of(attempt(), attempt(), attempt());
    all.forEach(ended::add);
    assertThat(ended.take()).isEqualTo(all);
    assertThat(ended.take()).isEmpty();
  }

  @Test
  void noneIsLostBetweenManyThreads() throws InterruptedException {
    int each = 5_000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int j = 0; j < each; j++) {
                  ended.add(attempt());
                }
              }));
    }
    Set<Attempt> taken = new HashSet<>();
    while (threads.stream().anyMatch(Thread::isAlive)) {
      taken.addAll(ended.take());
    }
    taken.addAll(ended.take());
    assertThat(taken).hasSize(8 * each);
  }

  @SuppressWarnings("NullAway")
  private static Attempt attempt() {
    Lease lease = new Lease(TaskId.next(), 1);
    return new Attempt(
        new Claim(lease, "t", "q", 5, "", Map.of(), 1, 0, 0, Instant.EPOCH, null, null, false),
        null,
        null);
  }
}
