package dev.berth.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Connections of one peer. */
final class Pool {

  private Pool() {}

  static HikariDataSource open(String url, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  static void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A file beside a class, of whichever jar. */
  static String resource(Class<?> beside, String name) throws IOException {
    try (InputStream file = beside.getResourceAsStream(name)) {
      if (file == null) {
        throw new IOException("There is no %s beside %s".formatted(name, beside.getName()));
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
