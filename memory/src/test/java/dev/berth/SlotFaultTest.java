package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.limit.Limit;
import dev.berth.memory.MemoryStore;
import dev.berth.store.Store;
import dev.berth.store.StoreException;
import dev.berth.view.LimitView;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slots while the store cannot be reached. */
@Timeout(30)
class SlotFaultTest {

  private static final Limit GPU = Limit.of("gpu", 1);

  /** The calls that fail: before they are done, or after, when only the answer is lost. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

  /** How often slots were asked for. */
  private final AtomicInteger asked = new AtomicInteger();

  private final MemoryStore real = MemoryStore.create();
  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (proxy, method, arguments) -> {
                asked.addAndGet(method.getName().equals("hold") ? 1 : 0);
                if (refused.contains(method.getName())) {
                  throw unavailable();
                }
                try {
                  Object answer = method.invoke(real, arguments);
                  if (unanswered.contains(method.getName())) {
                    throw unavailable();
                  }
                  return answer;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  @AfterEach
  void close() {
    real.close();
  }

  @Test
  void aSlotIsRenewedForAsLongAsItIsHeld() {
    Limits limits = new Limits(store, Duration.ofMillis(300));
    Slot slot = limits.tryAcquire(GPU).orElseThrow();

    await()
        .during(Duration.ofMillis(900))
        .atMost(Duration.ofSeconds(10))
        .until(() -> slot.isLive() && limits.cleanupExpired() == 0);
    limits.close();
  }

  @Test
  void aSlotThatCannotBeRenewedIsLostBeforeOthersGetIt() {
    Limits limits = new Limits(store, Duration.ofSeconds(2));
    Slot slot = limits.tryAcquire(GPU).orElseThrow();
    refused.add("heartbeat");

    await().until(() -> !slot.isLive());

    assertThat(real.sweep().sessionsExpired()).as("the store still counts it").isZero();
    assertThat(used()).isEqualTo(1);
    refused.clear();
    assertThat(slot.isLive()).as("it does not come back").isFalse();
    assertThatExceptionOfType(SlotLostException.class).isThrownBy(slot::token);
  }

  @Test
  void aReleaseThatFailsIsMadeUpFor() {
    Limits limits = new Limits(store, Duration.ofMillis(600));
    Slot slot = limits.tryAcquire(GPU).orElseThrow();
    refused.add("release");
    slot.close();
    assertThat(used()).isEqualTo(1);
    refused.clear();

    await().until(() -> used() == 0);
    limits.close();
  }

  @Test
  void aSlotWhoseAnswerWasLostIsGivenBack() {
    Limits limits = new Limits(store, Duration.ofMillis(600));
    unanswered.add("hold");
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limits.tryAcquire(GPU));
    assertThat(used()).isEqualTo(1);
    unanswered.clear();

    await().until(() -> used() == 0);
    limits.close();
  }

  /** It would look again by itself in an hour. */
  @Test
  void whoWaitsIsWokenWhenASlotIsFree() throws Exception {
    Limits limits = new Limits(store, Duration.ofSeconds(30), Duration.ofHours(1));
    Slot slot = limits.tryAcquire(GPU).orElseThrow();
    CompletableFuture<Slot> next = new CompletableFuture<>();
    Thread waiting =
        Thread.startVirtualThread(() -> {
          try {
            next.complete(limits.acquire(GPU, Duration.ofHours(1)));
          } catch (Exception e) {
            next.completeExceptionally(e);
          }
        });
    await().until(() -> asked.get() >= 3); // it has looked once more since it listens
    assertThat(next).isNotDone();
    slot.release();

    assertThat(next.get(20, TimeUnit.SECONDS).isLive()).isTrue();
    waiting.join();
    limits.close();
  }

  private int used() {
    return real.reader().limits().stream().mapToInt(LimitView::used).sum();
  }

  private static StoreException unavailable() {
    return new StoreException(StoreException.Kind.UNAVAILABLE, "no answer");
  }
}
