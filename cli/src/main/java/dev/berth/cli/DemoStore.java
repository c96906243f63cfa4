package dev.berth.cli;

import dev.berth.Berth;
import dev.berth.embedded.LocalPostgres;
import dev.berth.memory.MemoryStore;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStoreProvider;

/**
 * Where a demo runs.
 *
 * @param description for people, such as "PostgreSQL 18.6 (embedded)"
 * @param server the database server that lives as long as the demo, or nothing
 */
record DemoStore(Berth berth, String description, AutoCloseable server) implements AutoCloseable {

  private static final AutoCloseable NO_SERVER = () -> {};

  static DemoStore memory() {
    return new DemoStore(Berth.on(MemoryStore.create()), "the memory store", NO_SERVER);
  }

  /** A database that is there already; its schema is brought up to date. */
  static DemoStore on(String jdbcUrl) {
    Berth berth = Berth.on(PostgresStoreProvider.open(jdbcUrl, PostgresOptions.DEFAULT));
    return new DemoStore(berth, "the given database", NO_SERVER);
  }

  /** A server of its own, which ends with the demo. */
  static DemoStore embedded() {
    LocalPostgres server = LocalPostgres.start();
    try {
      Berth berth = Berth.on(PostgresStoreProvider.open(server.jdbcUrl(), PostgresOptions.DEFAULT));
      return new DemoStore(berth, server.describe(), server);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  @Override
  public void close() throws Exception {
    try (server) {
      berth.close();
    }
  }
}
