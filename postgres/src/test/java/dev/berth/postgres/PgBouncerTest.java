package dev.berth.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.store.Store;
import dev.berth.testkit.Draft;
import dev.berth.testkit.StoreContract;
import dev.berth.testkit.StoreFixture;
import dev.berth.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same through PgBouncer in transaction mode: no LISTEN, no prepared statements. */
@ExtendWith(WithoutRaces.class)
class PgBouncerTest extends StoreContract {

  private static PgBouncer bouncer;

  @BeforeAll
  static void start() {
    assumeTrue(PgBouncer.program().isPresent(), "PgBouncer is not installed");
    bouncer = PgBouncer.inFrontOf(Servers.NEWEST.emptyDatabase());
  }

  @AfterAll
  static void stop() {
    if (bouncer != null) {
      bouncer.close();
    }
  }

  /** The clock is moved on a direct connection. */
  private record Fixture(PostgresFixture direct, HikariDataSource pool, PostgresStore store)
      implements StoreFixture {

    static Fixture open() {
      PostgresFixture direct = PostgresFixture.on(Servers.NEWEST);
      HikariDataSource pool = Servers.patientPool(bouncer.url(direct.database().url()));
      return new Fixture(
          direct, pool, PostgresStore.of(pool, PostgresOptions.DEFAULT.withoutWakeUps()));
    }

    @Override
    public Instant now() {
      return direct.now();
    }

    @Override
    public void advance(Duration by) {
      direct.advance(by);
    }

    @Override
    public void close() {
      store.close();
      pool.close();
      direct.close();
    }
  }

  @Override
  protected StoreFixture open() {
    return Fixture.open();
  }

  @Override
  protected boolean wakesUp() {
    return false;
  }

  /** Where wake-ups were left on by mistake, nobody believes in them, and workers go on polling. */
  @Test
  void wakeUpsAreNotKnownToArrive() throws Exception {
    try (PostgresFixture direct = PostgresFixture.on(Servers.NEWEST);
        HikariDataSource pool = Servers.patientPool(bouncer.url(direct.database().url()));
        PostgresStore store = PostgresStore.of(pool, PostgresOptions.DEFAULT);
        Store.Subscription here = direct.store().onWork(wakeUp -> {});
        Store.Subscription there = store.onWork(wakeUp -> {})) {
      await().until(here::heard);
      direct.store().submit(List.of(Draft.task().submission()));

      await().during(Duration.ofMillis(300)).until(() -> !there.heard());
    }
  }

  @Test
  void aWorkerRuns() {
    try (Fixture fixture = Fixture.open()) {
      Store store = fixture.store();
      Berth berth = Berth.on(store);
      try (Worker worker = berth.worker().handle(Nap.TYPE, (nap, task) -> nap.take()).start()) {
        berth.submitAll(Nap.TYPE, IntStream.range(0, 500).mapToObj(number -> new Nap(1)));
        await().until(() -> worker.stats().finished() == 500);
        assertThat(worker.stats().staleOutcomes()).isZero();
      }
    }
  }
}
