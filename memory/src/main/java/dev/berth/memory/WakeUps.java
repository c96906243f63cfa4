package dev.berth.memory;

import dev.berth.store.Store.Subscription;
import dev.berth.store.WakeUp;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Collects the hints of one call, one for each queue, and hands them out after it. Collecting is
 * guarded by the lock of the store; handing out is not, so that a listener may call the store.
 */
final class WakeUps {

  /** A sweep has something to do at once; zero would say that there is work to claim. */
  static final Duration SOON = Duration.ofMillis(1);

  /** One subscription; equal only to itself, so that the same consumer may subscribe twice. */
  private static final class Listener {
    private final Consumer<WakeUp> consumer;

    Listener(Consumer<WakeUp> consumer) {
      this.consumer = consumer;
    }
  }

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Duration> collected = new LinkedHashMap<>();

  Subscription subscribe(Consumer<WakeUp> consumer) {
    Listener listener = new Listener(consumer);
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  void add(String queue, Duration in) {
    collected.merge(queue, in, (a, b) -> a.compareTo(b) <= 0 ? a : b);
  }

  List<WakeUp> collect() {
    List<WakeUp> hints =
        collected.entrySet().stream()
            .map(hint -> new WakeUp(hint.getKey(), hint.getValue()))
            .toList();
    collected.clear();
    return hints;
  }

  void send(List<WakeUp> hints) {
    for (WakeUp hint : hints) {
      for (Listener listener : listeners) {
        try {
          listener.consumer.accept(hint);
        } catch (RuntimeException ignored) {
          // The call that woke it has taken effect, and a hint may be lost.
        }
      }
    }
  }

  void close() {
    listeners.clear();
  }
}
