package dev.berth.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.berth.Berth;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStore;
import dev.berth.postgres.PostgresStoreProvider;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database for one measurement, without tasks, dropped after it. */
record BenchDatabase(Server server, String name, String url) implements AutoCloseable {

  /** A store of its own pool; several of them know nothing of each other, as processes do. */
  PostgresStore store() {
    return store(PostgresOptions.DEFAULT);
  }

  PostgresStore store(PostgresOptions options) {
    return PostgresStoreProvider.open(url, options);
  }

  /** A pool for a store that needs so many connections at once. */
  HikariDataSource pool(int connections) {
    HikariDataSource pool = PostgresStoreProvider.pool(url);
    pool.setMaximumPoolSize(connections);
    return pool;
  }

  Berth berth() {
    return Berth.on(store());
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long number(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    server.drop(name);
  }
}
