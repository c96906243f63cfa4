package dev.berth.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.berth.embedded.LocalPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** The PostgreSQL servers of this test run, one per version, each started when first wanted. */
enum Servers {
  NEWEST,
  OLDEST;

  private static final Map<Servers, LocalPostgres> RUNNING = new EnumMap<>(Servers.class);
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final String TEMPLATE = "berth_template";

  static {
    // on a busy machine everything takes longer; where all is well the wait is over early
    Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
  }

  /** A new database with the schema, the size of a test. */
  String database() {
    LocalPostgres server = running();
    String name = "test_" + DATABASES.incrementAndGet();
    synchronized (this) {
      Sql.run(server.jdbcUrl(), "create database " + name + " template " + TEMPLATE);
    }
    return server.jdbcUrl(name);
  }

  /** A copy of a database to which nobody is connected. */
  String copy(String url) {
    String name = "test_" + DATABASES.incrementAndGet();
    String of = url.replaceAll(".*/([^?]*).*", "$1");
    Sql.run(running().jdbcUrl(), "create database " + name + " template " + of);
    return running().jdbcUrl(name);
  }

  /** A new database without any schema. */
  String emptyDatabase() {
    return running().createDatabase("empty_" + DATABASES.incrementAndGet());
  }

  /** A role of the whole server. */
  void createRole(String name, String... options) {
    running().createRole(name, options);
  }

  static HikariDataSource pool(String url) {
    return pool(url, 100);
  }

  /** For tests that do not ask what becomes of a worker without connections. */
  static HikariDataSource patientPool(String url) {
    HikariDataSource pool = pool(url);
    pool.setConnectionTimeout(20_000);
    return pool;
  }

  static HikariDataSource pool(String url, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(2_000);
    config.setValidationTimeout(1_000);
    return new HikariDataSource(config);
  }

  private LocalPostgres running() {
    synchronized (RUNNING) {
      return RUNNING.computeIfAbsent(this, Servers::start);
    }
  }

  private static LocalPostgres start(Servers version) {
    LocalPostgres.Options options =
        LocalPostgres.Options.defaults()
            .setting("max_connections", "1000")
            // nothing here cuts the power: a database per test is made in a moment
            .setting("fsync", "off");
    if (version == OLDEST) {
      options = options.binariesFrom(Path.of(System.getProperty("berth.test.oldest-postgres")));
    }
    LocalPostgres server = LocalPostgres.start(options);
    String template = server.createDatabase(TEMPLATE);
    try (HikariDataSource pool = pool(template)) {
      new Schema(pool).migrate();
    }
    return server;
  }
}
