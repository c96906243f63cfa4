package dev.berth.postgres;

import dev.berth.testkit.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/** A store on a database of its own, whose clock the test can move. */
record PostgresFixture(TestDatabase database, PostgresStore store) implements StoreFixture {

  static PostgresFixture on(Servers server) {
    return on(server, PostgresOptions.DEFAULT);
  }

  static PostgresFixture on(Servers server, PostgresOptions options) {
    TestDatabase database = TestDatabase.on(server);
    return new PostgresFixture(database, PostgresStore.of(database.pool(), options));
  }

  @Override
  public Instant now() {
    String now =
        database.one(
            "select to_char(berth_private.now() at time zone 'UTC',"
                + " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')");
    return OffsetDateTime.parse(now).toInstant();
  }

  @Override
  public void advance(Duration by) {
    database.run(
        "update berth_private.clock set shift = shift + interval '1 millisecond' * "
            + by.toMillis());
  }

  @Override
  public void close() {
    store.close();
    database.close();
  }
}
