package dev.berth.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Attempts on their way from many handlers to the one exchange loop: a stack made of the attempts
 * themselves, taken as a whole. The first one on an empty stack raises the signal, so a burst of
 * thousands wakes the loop once.
 */
final class EndedAttempts {

  private final AtomicReference<@Nullable Attempt> top = new AtomicReference<>();
  private final Signal signal;

  EndedAttempts(Signal signal) {
    this.signal = signal;
  }

  void add(Attempt ended) {
    Attempt below;
    do {
      below = top.get();
      ended.next = below;
    } while (!top.compareAndSet(below, ended));
    if (below == null) {
      signal.raise();
    }
  }

  /** All of them, the oldest first. */
  List<Attempt> take() {
    Attempt each = top.getAndSet(null);
    if (each == null) {
      return List.of();
    }
    List<Attempt> all = new ArrayList<>();
    while (each != null) {
      all.add(each);
      Attempt below = each.next;
      each.next = null;
      each = below;
    }
    Collections.reverse(all);
    return all;
  }
}
