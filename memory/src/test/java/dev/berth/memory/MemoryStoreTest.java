package dev.berth.memory;

import dev.berth.store.Store;
import dev.berth.testkit.FakeClock;
import dev.berth.testkit.StoreContract;
import dev.berth.testkit.StoreFixture;
import java.time.Duration;
import java.time.Instant;

class MemoryStoreTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    FakeClock clock = new FakeClock();
    return new Fixture(clock, MemoryStore.create(clock));
  }

  /** Its exchanges take no time: no slot would idle. */
  @Override
  protected boolean standsBy() {
    return false;
  }

  private record Fixture(FakeClock clock, Store store) implements StoreFixture {
    @Override
    public Instant now() {
      return clock.instant();
    }

    @Override
    public void advance(Duration by) {
      clock.advance(by);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
