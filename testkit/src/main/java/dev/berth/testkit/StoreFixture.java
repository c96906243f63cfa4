package dev.berth.testkit;

import dev.berth.store.Store;
import java.time.Duration;
import java.time.Instant;

/**
 * A fresh store for one test: no tasks, no history, no sessions, nothing paused, and a clock that
 * the test can move.
 */
public interface StoreFixture extends AutoCloseable {

  Store store();

  /** What the store's clock shows. It may also run by itself, as that of a database does. */
  Instant now();

  /** Moves the store's clock forward, for every caller of this store. */
  void advance(Duration by);

  /** Closes the store and removes what the test left behind. */
  @Override
  void close();
}
