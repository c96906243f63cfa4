package dev.berth.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.limit.Limit;
import dev.berth.store.Claim;
import dev.berth.store.Store;
import dev.berth.store.Submission;
import dev.berth.task.Outcome;
import dev.berth.task.TaskId;
import dev.berth.testkit.Claimer;
import dev.berth.testkit.Draft;
import dev.berth.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What this store promises beyond the contract: the exact order, and a flat cost. */
class MemoryLimitTest {

  private static final Limit A = Limit.of("a", 9);
  private static final Limit B = Limit.of("b", 9);

  private final FakeClock clock = new FakeClock();
  private final Store store = MemoryStore.create(clock);

  @Test
  void lanesTakeTurns() {
    submit("a1", Draft.task().under(A));
    submit("a2", Draft.task().under(A));
    submit("a3", Draft.task().under(A));
    submit("b1", Draft.task().under(B));
    submit("b2", Draft.task().under(B));

    assertThat(claim(3)).containsExactly("a1", "b1", "a2");
    submit("c1", Draft.task().under(Limit.of("c", 9)));
    assertThat(claim(3)).containsExactly("b2", "a3", "c1");
  }

  @Test
  void openTasksGoByTheirPosition() {
    submit("open1", Draft.task());
    submit("a1", Draft.task().under(A));
    submit("open2", Draft.task());
    submit("a2", Draft.task().under(A));
    submit("b1", Draft.task().under(B));
    submit("open3", Draft.task());

    assertThat(claim(9)).containsExactly("open1", "a1", "open2", "b1", "a2", "open3");
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void aLongLineBehindAFullLimitCostsNothing() {
    Limit full = Limit.of("full", 0);
    for (int batch = 0; batch < 3; batch++) {
      store.submit(tasks(100_000, Draft.task().under(full)));
    }
    store.submit(tasks(20_000, Draft.task().under(A)));
    store.submit(tasks(20_000, Draft.task()));
    Claimer claimer = Claimer.open(store, "worker", Draft.TYPE);

    int finished = 0;
    for (List<Claim> claims = claimer.claim(5); !claims.isEmpty(); claims = claimer.claim(5)) {
      claimer.endAll(claims, new Outcome.Finished(null));
      finished += claims.size();
    }

    assertThat(finished).isEqualTo(40_000);
  }

  private void submit(String name, Draft draft) {
    store.submit(List.of(draft.ownId(TaskId.next()).payload(name).submission()));
    clock.advance(Duration.ofMillis(1));
  }

  private List<String> claim(int most) {
    return Claimer.open(store, "worker", Draft.TYPE).claim(most).stream()
        .map(Claim::payload)
        .toList();
  }

  private static List<Submission> tasks(int count, Draft draft) {
    return Stream.generate(() -> draft.ownId(TaskId.next()).submission()).limit(count).toList();
  }
}
