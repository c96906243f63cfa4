package dev.berth;

import dev.berth.limit.Limit;
import dev.berth.limit.LimitKey;
import dev.berth.limit.Need;
import dev.berth.store.Applied;
import dev.berth.store.Command;
import dev.berth.store.Store;
import dev.berth.view.LimitView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The limits of a store: looks at them, changes them while tasks run, and takes slots for code that
 * is no task. Such slots are counted together with those of tasks, on all machines. Safe to share
 * between threads.
 *
 * <pre>{@code
 * berth.limits().set(gpu, 8);
 *
 * try (Slot slot = berth.limits().acquire(gpu, Duration.ofSeconds(5))) {
 *   render(scene, slot.token());
 * }
 * }</pre>
 *
 * <p>A limit of a type is named by its key: {@code LimitKey.ofType("send_email")}.
 */
public final class Limits {

  /** How long slots stay held after their process has died. */
  static final Duration LEASE = Duration.ofSeconds(30);

  /** Whoever waits is woken when slots are free; this often it looks in case that got lost. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

  private final Store store;
  private final Holds holds;

  Limits(Store store) {
    this(store, LEASE);
  }

  Limits(Store store, Duration lease) {
    this(store, lease, LOOK_AGAIN);
  }

  Limits(Store store, Duration lease, Duration lookAgain) {
    this.store = store;
    this.holds = new Holds(store, lease, lookAgain);
  }

  /** Those that are in use or whose number was said, by key. */
  public List<LimitView> list() {
    return store.reader().limits();
  }

  /** The limit as it is now, with everybody who holds slots of it: task, worker and expiry. */
  public Optional<LimitView> find(LimitKey key) {
    return list().stream().filter(limit -> limit.key().equals(key)).findFirst();
  }

  public Optional<LimitView> find(Limit limit) {
    return find(limit.key());
  }

  /** So many slots, over whatever the code says, until it is reset. */
  public Applied set(LimitKey key, int slots) {
    return store.apply(new Command.SetLimit(key, slots));
  }

  public Applied set(Limit limit, int slots) {
    return set(limit.key(), slots);
  }

  /** So many slots for a time; after it the code counts again. */
  public Applied set(LimitKey key, int slots, Duration lasts) {
    return store.apply(new Command.SetLimit(key, slots, lasts));
  }

  public Applied set(Limit limit, int slots, Duration lasts) {
    return set(limit.key(), slots, lasts);
  }

  /** The number that the code says counts again. */
  public Applied reset(LimitKey key) {
    return store.apply(new Command.ResetLimit(key));
  }

  public Applied reset(Limit limit) {
    return reset(limit.key());
  }

  /** No task under this limit starts until it is resumed; running ones go on. */
  public Applied pause(LimitKey key) {
    return store.apply(new Command.PauseLimit(key));
  }

  public Applied pause(Limit limit) {
    return pause(limit.key());
  }

  public Applied resume(LimitKey key) {
    return store.apply(new Command.ResumeLimit(key));
  }

  public Applied resume(Limit limit) {
    return resume(limit.key());
  }

  /**
   * Frees the slots of a holder that is known to be dead, before its lease is over.
   *
   * @param token of the holder: who took the slots since is not meant
   */
  public Applied releaseSlot(LimitKey key, long token) {
    return store.apply(new Command.ReleaseSlot(key, token));
  }

  /** Counts the slots anew from what running tasks hold; workers may go on meanwhile. */
  public Applied recount(LimitKey key) {
    return store.apply(new Command.RecountLimit(key));
  }

  /**
   * Waits for a slot.
   *
   * @throws AcquireTimeoutException if none was free in time
   */
  public Slot acquire(Limit limit, Duration longest) throws InterruptedException {
    return acquire(limit, 1, longest);
  }

  /** Waits for so many slots, and takes them together. */
  public Slot acquire(Limit limit, int weight, Duration longest) throws InterruptedException {
    return holds.acquire(Need.of(limit, weight), longest);
  }

  /** A slot, if one is free. It may be refused while somebody else just takes or gives one back. */
  public Optional<Slot> tryAcquire(Limit limit) {
    return tryAcquire(limit, 1);
  }

  public Optional<Slot> tryAcquire(Limit limit, int weight) {
    return holds.tryAcquire(Need.of(limit, weight));
  }

  /**
   * Gives back what dead processes held; returns how many of them there were. Workers do that by
   * themselves, and so does whoever asks for a slot in vain.
   */
  public int cleanupExpired() {
    return store.sweep().sessionsExpired();
  }

  /** Gives back all slots. */
  void close() {
    holds.close();
  }
}
