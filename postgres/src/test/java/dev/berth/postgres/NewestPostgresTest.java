package dev.berth.postgres;

import dev.berth.testkit.StoreContract;
import dev.berth.testkit.StoreFixture;

class NewestPostgresTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    return PostgresFixture.on(Servers.NEWEST);
  }
}
