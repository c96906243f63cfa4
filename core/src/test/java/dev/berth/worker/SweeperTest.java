package dev.berth.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.LimitKey;
import dev.berth.schedule.Missed;
import dev.berth.schedule.Timing;
import dev.berth.store.Advance;
import dev.berth.store.DueSchedule;
import dev.berth.store.Swept;
import dev.berth.store.WakeUp;
import dev.berth.view.Drift;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Due times are met, whoever tells them. */
class SweeperTest extends WorkerFixture {

  private static final Duration SOON = Duration.ofMillis(50);
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

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

  /** As any role of a database can send them. */
  @Test
  void aFloodOfHintsDoesNotMakeItSweepWithoutEnd() {
    start();
    long until = Ticks.after(Duration.ofSeconds(1));
    while (Ticks.now() < until) {
      store.wake(new WakeUp("default", Duration.ofMillis(1)));
    }

    assertThat(store.swept()).isLessThan(45);
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
  void aDueScheduleIsAdvancedAndItsTasksAreClaimedAtOnce() {
    Worker worker = start();
    await().until(() -> store.swept() == 1 && worker.stats().exchanges() == 1);
    DueSchedule due = every(Duration.ofHours(1), NOW);
    store.nextSweep(new Swept(0, 0, 0, null, List.of(due)));
    store.wake(new WakeUp("default", SOON));

    await().until(() -> worker.stats().exchanges() == 2);
    assertThat(store.advanced())
        .containsExactly(
            new Advance("tick", 7, List.of(NOW), false, NOW.plus(Duration.ofHours(1)), null));
  }

  @Test
  void itSweepsAtTheNextTimeOfASchedule() {
    store.nextSweep(new Swept(0, 0, 0, null, List.of(every(Duration.ofMillis(100), NOW))));
    long began = Ticks.now();
    start();
    await().pollInterval(Duration.ofMillis(1)).until(() -> store.swept() >= 2);

    assertThat(Ticks.now() - began)
        .isBetween(Duration.ofMillis(100).toNanos(), Duration.ofMillis(800).toNanos());
  }

  @Test
  void aScheduleThatCannotBeAdvancedHereHoldsUpNoOther() {
    DueSchedule cron =
        new DueSchedule(
            "nightly", 1, new Timing.Cron("0 3 * * *", "UTC"), Missed.ONCE, NOW, NOW, NOW, NOW);
    store.nextSweep(new Swept(0, 0, 0, null, List.of(cron, every(Duration.ofHours(1), NOW), cron)));
    start();

    await().until(() -> store.advanced().size() == 1);
    await().until(() -> store.swept() >= 2);
    assertThat(store.advanced()).hasSize(1);
  }

  private static DueSchedule every(Duration period, Instant next) {
    return new DueSchedule("tick", 7, new Timing.Every(period), Missed.ONCE, NOW, NOW, next, NOW);
  }

  @Test
  void itSweepsAgainAfterAnOutage() {
    store.down(true);
    start();
    store.down(false);

    await().until(() -> store.swept() >= 1);
  }
}
