package dev.berth.postgres;

import dev.berth.store.Store;
import dev.berth.store.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hints in and out: told to the workers of this process at once and to others by NOTIFY; heard from
 * others by LISTEN, for as long as anyone here listens.
 */
final class Hints implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Hints.class);

  private static final Duration LONGEST_SEND = Duration.ofSeconds(10);

  /** A process that submits less often than this may notify within its submits. */
  private static final long RARE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Database database;
  private final boolean notifications;
  private final Consumer<Hint> first;
  private final List<Consumer<WakeUp>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicLong lastSubmit = new AtomicLong(System.nanoTime() - RARE_NANOS);
  private volatile @Nullable HintSender sender;
  private @Nullable HintListener listener;

  /**
   * @param first hears every hint before the listeners do
   */
  Hints(Database database, boolean notifications, Consumer<Hint> first) {
    this.database = database;
    this.notifications = notifications;
    this.first = first;
  }

  synchronized Store.Subscription listen(Consumer<WakeUp> wanted) {
    listeners.add(wanted);
    if (notifications && listener == null) {
      listener = new HintListener(database, this::hear, this::sentHere, () -> hear(Hint.ANYWHERE));
      listener.awaitConnected();
    }
    return new Store.Subscription() {
      @Override
      public boolean heard() {
        return hears();
      }

      @Override
      public void close() {
        forget(wanted);
      }
    };
  }

  private synchronized boolean hears() {
    return listener != null && listener.hears();
  }

  /** Tells everybody at once. */
  void tell(List<Hint> hints) {
    tell(hints, true);
  }

  /** Tells everybody about work that was submitted, the workers of this process first. */
  void tellOfSubmit(List<Hint> hints) {
    tell(hints, listeners.isEmpty());
  }

  private void tell(List<Hint> hints, boolean atOnce) {
    tellHere(hints);
    if (notifications && !hints.isEmpty()) {
      sender().send(hints, atOnce);
    }
  }

  /** Tells the workers of this process; the others know. */
  void tellHere(List<Hint> hints) {
    hints.forEach(this::hear);
  }

  /**
   * Asked before each submit: whether it may notify by itself, which saves a transaction between
   * the submit and a worker of another process. Not if submits are frequent, see {@link
   * HintSender}; nor if workers of this process hear of it anyway, and would wait for that.
   */
  boolean mayGoWithSubmit() {
    long now = System.nanoTime();
    boolean rare = now - lastSubmit.getAndSet(now) >= RARE_NANOS;
    return notifications && rare && listeners.isEmpty();
  }

  /** Whatever a listener does, the others hear of it. */
  private void hear(Hint hint) {
    first.accept(hint);
    WakeUp wakeUp = new WakeUp(hint.queue(), hint.in());
    for (Consumer<WakeUp> listening : listeners) {
      try {
        listening.accept(wakeUp);
      } catch (RuntimeException | Error e) {
        log.warn("A listener for wake-ups failed: {}", e.toString());
      }
    }
  }

  private synchronized HintSender sender() {
    if (sender == null) {
      sender = new HintSender(new HeldConnection(database, LONGEST_SEND));
    }
    return sender;
  }

  private boolean sentHere(int process) {
    HintSender ours = sender;
    return ours != null && ours.sent(process);
  }

  private synchronized void forget(Consumer<WakeUp> unwanted) {
    listeners.remove(unwanted);
    if (listeners.isEmpty() && listener != null) {
      listener.close();
      listener = null;
    }
  }

  @Override
  public synchronized void close() {
    listeners.clear();
    if (listener != null) {
      listener.close();
    }
    if (sender != null) {
      sender.close();
    }
  }
}
