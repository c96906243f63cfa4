package dev.berth.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.testkit.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/** A store on a database of its own, whose clock the test can move. */
record PostgresFixture(String url, HikariDataSource pool, PostgresStore store)
    implements StoreFixture {

  static PostgresFixture on(Servers server) {
    return on(server.database(), PostgresOptions.DEFAULT);
  }

  static PostgresFixture on(String url, PostgresOptions options) {
    HikariDataSource pool = Servers.pool(url);
    return new PostgresFixture(url, pool, PostgresStore.of(pool, options));
  }

  @Override
  public Instant now() {
    String now =
        Sql.query(
                url,
                "select to_char(berth.now() at time zone 'UTC',"
                    + " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
            .getFirst();
    return OffsetDateTime.parse(now).toInstant();
  }

  @Override
  public void advance(Duration by) {
    Sql.run(
        url, "update berth.clock set shift = shift + interval '1 millisecond' * " + by.toMillis());
  }

  @Override
  public void close() {
    store.close();
    pool.close();
  }
}
