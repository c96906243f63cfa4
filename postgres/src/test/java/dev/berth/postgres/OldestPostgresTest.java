package dev.berth.postgres;

import dev.berth.testkit.StoreContract;
import dev.berth.testkit.StoreFixture;

/** The same on the oldest supported version. */
class OldestPostgresTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    return PostgresFixture.on(Servers.OLDEST);
  }
}
