package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.LimitKey;
import dev.berth.store.Drift;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Due times are met, whoever tells them. */
class SweeperTest extends WorkerFixture {

  private static final Duration SOON = Duration.ofMillis(50);

  @BeforeEach
  void onlyHintsMakeItLook() {
    builder.pollInterval(Duration.ofHours(1)).handle(TEXT, (payload, task) -> {});
  }

  @Test
  void itSweepsAtTheTimeTheLastSweepTold() {
    store.nextSweep(new Swept(0, 0, 0, SOON));
    long began = Ticks.now();
    start();
    await().pollInterval(Duration.ofMillis(1)).until(() -> store.swept() >= 2);

    assertThat(Ticks.now() - began).isBetween(SOON.toNanos(), Duration.ofMillis(800).toNanos());
  }

  @Test
  void itSweepsAtTheTimeAHintTold() {
    start();
    await().until(() -> store.swept() == 1);
    long began = Ticks.now();
    store.wake(new WakeUp("default", SOON));
    await().pollInterval(Duration.ofMillis(1)).until(() -> store.swept() >= 2);

    assertThat(Ticks.now() - began).isLessThan(Duration.ofMillis(800).toNanos());
  }

  @Test
  void promotedWorkIsClaimedAtOnce() {
    Worker worker = start();
    await().until(() -> store.swept() == 1 && worker.stats().exchanges() == 1);
    store.nextSweep(new Swept(1, 0, 0, null));
    store.wake(new WakeUp("default", SOON));

    await().until(() -> worker.stats().exchanges() == 2);
  }

  @Test
  void countersThatAreWrongAreShownWithoutAskingTheStore() {
    store.drift(new Drift(LimitKey.shared("gpu"), Drift.Counter.USED, 1, 3, 2));
    Worker worker = start();

    await().until(() -> worker.stats().slotDrift() == 1);
  }

  @Test
  void itSweepsAgainAfterAnOutage() {
    store.down(true);
    start();
    store.down(false);

    await().until(() -> store.swept() >= 1);
  }
}
