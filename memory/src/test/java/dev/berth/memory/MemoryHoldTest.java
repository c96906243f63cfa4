package dev.berth.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.AcquireTimeoutException;
import dev.berth.Berth;
import dev.berth.Slot;
import dev.berth.SlotLostException;
import dev.berth.limit.Limit;
import dev.berth.task.Codec;
import dev.berth.task.TaskType;
import dev.berth.testkit.FakeClock;
import dev.berth.view.LimitView;
import dev.berth.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits without the queue, as an application uses them. */
@Timeout(30)
class MemoryHoldTest {

  private static final Limit GPU = Limit.of("gpu", 1);
  private static final Duration LEASE_OVER = Duration.ofSeconds(31);
  private static final Duration LONG = Duration.ofSeconds(20);

  private final FakeClock clock = new FakeClock();
  private final MemoryStore store = MemoryStore.create(clock);
  private final Berth berth = Berth.on(store, new TextCodec());

  @AfterEach
  void close() {
    berth.close();
  }

  @Test
  void aSlotIsHeldUntilItIsClosed() throws Exception {
    try (Slot slot = berth.limits().acquire(GPU, LONG)) {
      assertThat(slot.token()).isPositive();
      assertThat(slot.isLive()).isTrue();
      assertThat(berth.limits().tryAcquire(GPU)).isEmpty();
      assertThat(used()).isEqualTo(1);
    }
    assertThat(used()).isZero();
  }

  @Test
  void aClosedSlotIsNoGood() {
    Slot slot = berth.limits().tryAcquire(GPU).orElseThrow();
    slot.close();
    Slot next = berth.limits().tryAcquire(GPU).orElseThrow();
    slot.close();

    assertThat(used()).isEqualTo(1);
    assertThat(slot.isLive()).isFalse();
    assertThatExceptionOfType(SlotLostException.class).isThrownBy(slot::token);
    assertThatExceptionOfType(SlotLostException.class).isThrownBy(slot::extendLease);
    assertThat(next.isLive()).isTrue();
  }

  @Test
  void whoWaitsGetsTheSlotWhenItIsFree() throws Exception {
    Slot slot = berth.limits().tryAcquire(GPU).orElseThrow();
    CompletableFuture<Long> next = new CompletableFuture<>();
    Thread waiting =
        Thread.startVirtualThread(() -> {
          try (Slot own = berth.limits().acquire(GPU, LONG)) {
            next.complete(own.token());
          } catch (Exception e) {
            next.completeExceptionally(e);
          }
        });
    assertThat(next).isNotDone();
    long token = slot.token();
    slot.release();

    assertThat(next.get(20, TimeUnit.SECONDS)).isGreaterThan(token);
    waiting.join();
  }

  @Test
  void whoWaitsInVainIsTold() {
    assertThat(berth.limits().tryAcquire(GPU)).isPresent();

    assertThatExceptionOfType(AcquireTimeoutException.class)
        .isThrownBy(() -> berth.limits().acquire(GPU, Duration.ZERO))
        .withMessageContaining("Got no slot of limit/gpu within 0 ms");
  }

  @Test
  void slotsAreLostWithTheirLease() {
    Slot slot = berth.limits().tryAcquire(GPU).orElseThrow();
    clock.advance(LEASE_OVER);
    assertThat(berth.limits().cleanupExpired()).isEqualTo(1);

    assertThatExceptionOfType(SlotLostException.class)
        .isThrownBy(slot::extendLease)
        .withMessageContaining("limit/gpu");
    assertThat(slot.isLive()).isFalse();
    assertThatExceptionOfType(SlotLostException.class).isThrownBy(slot::token);

    Slot next = berth.limits().tryAcquire(GPU).orElseThrow(); // in a new session
    slot.close();
    assertThat(next.isLive()).isTrue();
    assertThat(used()).isEqualTo(1);
  }

  @Test
  void theSlotOfADeadProcessIsFoundWithoutAWorker() {
    Berth dead = Berth.on(store, new TextCodec());
    assertThat(dead.limits().tryAcquire(GPU)).isPresent();
    clock.advance(LEASE_OVER);

    assertThat(berth.limits().tryAcquire(GPU)).isPresent();
  }

  @Test
  void anExtendedLeaseIsLongerThanTheOldOne() {
    Slot slot = berth.limits().tryAcquire(GPU).orElseThrow();
    clock.advance(Duration.ofSeconds(20));
    assertThat(slot.extendLease()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(27));
    clock.advance(Duration.ofSeconds(20));

    assertThat(berth.limits().cleanupExpired()).isZero();
    assertThat(slot.isLive()).isTrue();
  }

  @Test
  void aTaskStartsWhenTheSlotIsFree() throws Exception {
    TaskType<String, Void> render = TaskType.of("render", String.class).under(GPU);
    CountDownLatch started = new CountDownLatch(1);
    try (Worker worker =
        berth.worker().handle(render, (scene, task) -> started.countDown()).start()) {
      Slot slot = berth.limits().acquire(GPU, LONG);
      var id = berth.submit(render, "scene");
      assertThat(berth.limits().find(GPU.key())).get().extracting(LimitView::used).isEqualTo(1);
      assertThat(started.getCount()).isEqualTo(1);
      slot.release();

      berth.await(render, id, LONG);
      assertThat(started.getCount()).isZero();
    }
  }

  @Test
  void aTaskOfAnotherTypeIsNotAwaited() {
    TaskType<String, String> charge = TaskType.of("charge", String.class).returning(String.class);
    TaskType<String, String> ship = TaskType.of("ship", String.class).returning(String.class);
    var id = berth.submit(charge, "order", o -> o.id("order-42"));

    assertThatThrownBy(() -> berth.await(ship, id, LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Task " + id + " is of type charge, not ship");
    assertThat(berth.find(ship, "order-42")).isEmpty();
    assertThat(berth.find(charge, "order-42")).isPresent();
  }

  @Test
  void aPausedLimitGivesNoSlot() {
    berth.limits().pause(GPU.key());
    assertThat(berth.limits().tryAcquire(GPU)).isEmpty();

    berth.limits().resume(GPU.key());
    assertThat(berth.limits().tryAcquire(GPU)).isPresent();
  }

  @Test
  void heavySlotsAreTakenTogether() throws Exception {
    Limit wide = Limit.of("wide", 5);
    try (Slot heavy = berth.limits().acquire(wide, 4, LONG)) {
      assertThat(berth.limits().tryAcquire(wide, 2)).isEmpty();
      assertThat(berth.limits().find(wide.key()).orElseThrow().used()).isEqualTo(4);
      assertThat(heavy.isLive()).isTrue();
    }
  }

  @Test
  void closingBerthGivesAllBack() {
    Berth other = Berth.on(MemoryStore.create(clock), new TextCodec());
    Slot slot = other.limits().tryAcquire(GPU).orElseThrow();
    other.close();

    assertThat(slot.isLive()).isFalse();
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> other.limits().tryAcquire(GPU))
        .withMessage("This Berth is closed");
  }

  private int used() {
    return berth.limits().find(GPU.key()).map(LimitView::used).orElse(0);
  }

  /** Payloads that are text already. */
  private static final class TextCodec implements Codec {
    @Override
    public String encode(Object value) {
      return value.toString();
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
      return type.cast(json);
    }
  }
}
