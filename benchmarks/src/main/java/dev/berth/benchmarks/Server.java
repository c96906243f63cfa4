package dev.berth.benchmarks;

import dev.berth.embedded.LocalPostgres;
import dev.berth.postgres.PostgresOptions;
import dev.berth.postgres.PostgresStoreProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL server under measurement: one started for the run, or one that somebody else runs.
 * Every measurement gets an empty database of its own, so none finds what another left behind.
 */
public final class Server implements AutoCloseable {

  private static final String FUNCTIONS =
      """
      select funcname, calls, self_time, total_time
        from pg_stat_user_functions order by self_time desc limit 20
      """;

  private static final List<String> SETTINGS =
      List.of(
          "synchronous_commit",
          "fsync",
          "full_page_writes",
          "shared_buffers",
          "wal_level",
          "max_wal_size",
          "checkpoint_timeout",
          "max_connections",
          "autovacuum");

  private final String url;
  private final String name;
  private final @Nullable LocalPostgres own;
  private @Nullable Consumer<String> functions;
  private final AtomicInteger databases = new AtomicInteger();
  private @Nullable String template;

  private Server(String url, String name, @Nullable LocalPostgres own) {
    this.url = url;
    this.name = name;
    this.own = own;
  }

  /**
   * An installed PostgreSQL where there is one, since the embedded build is not made for speed; it
   * commits durably.
   */
  public static Server start() {
    return start("on");
  }

  /** The same for runs that measure nothing, and shall not wait for disks. */
  public static Server startNotDurable() {
    return start("off");
  }

  private static Server start(String fsync) {
    LocalPostgres own =
        LocalPostgres.start(
            LocalPostgres.Options.defaults()
                .preferInstalled()
                // two fleets of eight workers
                .setting("max_connections", "300")
                .setting("fsync", fsync)
                // no checkpoint in the middle of a round
                .setting("max_wal_size", "8GB")
                .setting("wal_init_zero", "off")
                // a table that is filled at once need not go through the log
                .setting("wal_level", "minimal")
                .setting("max_wal_senders", "0")
                .setting("checkpoint_timeout", "30min"));
    return new Server(own.jdbcUrl(), own.describe(), own);
  }

  /**
   * A server that is there already. Databases of ours are created on it and dropped again; the one
   * in the URL is not touched.
   */
  public static Server at(String url) {
    return new Server(url, "PostgreSQL " + setting(url, "server_version"), null);
  }

  /** Tells of each database where its server spent the time, function by function. */
  public Server tellingFunctions(Consumer<String> listener) {
    functions = listener;
    return this;
  }

  /** Its version and where it comes from. */
  String name() {
    return name;
  }

  /** Its name, and how durable its commits are. */
  public String describe() {
    return "%s, synchronous_commit %s, fsync %s"
        .formatted(name, setting(url, "synchronous_commit"), setting(url, "fsync"));
  }

  /** Those of its settings that matter for speed. */
  Map<String, String> settings() {
    Map<String, String> values = new LinkedHashMap<>();
    SETTINGS.forEach(setting -> values.put(setting, setting(url, setting)));
    return values;
  }

  /** Whether it shares our clock. */
  boolean here() {
    return own != null;
  }

  /** A database with our tables and nothing in them. */
  BenchDatabase database() throws SQLException {
    String name = nextName();
    execute("create database " + name + " template " + template());
    if (functions != null) {
      execute("alter database " + name + " set track_functions = 'all'");
    }
    return new BenchDatabase(this, name, withDatabase(url, name));
  }

  /** Migrated once and copied, which is many times faster than to migrate each. */
  private synchronized String template() throws SQLException {
    if (template == null) {
      String name = nextName();
      execute("create database " + name);
      PostgresStoreProvider.open(withDatabase(url, name), PostgresOptions.DEFAULT).close();
      template = name;
    }
    return template;
  }

  private String nextName() {
    return "berth_bench_%d_%d"
        .formatted(ProcessHandle.current().pid(), databases.incrementAndGet());
  }

  void drop(String name) throws SQLException {
    if (functions != null) {
      tellFunctions(name, functions);
    }
    execute("drop database if exists " + name + " with (force)");
  }

  private void tellFunctions(String name, Consumer<String> listener) throws SQLException {
    Table table =
        new Table().text("FUNCTION").number("CALLS").number("SELF MS").number("WITH CALLED MS");
    try (Connection connection = DriverManager.getConnection(withDatabase(url, name));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(FUNCTIONS)) {
      while (row.next()) {
        table.row(
            row.getString("funcname"),
            "%,d".formatted(row.getLong("calls")),
            Text.number(row.getDouble("self_time")),
            Text.number(row.getDouble("total_time")));
      }
    }
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    table.print(out);
    out.flush();
    listener.accept(text.toString());
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String setting(String url, String name) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show " + name)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException("The database cannot be reached: " + e.getMessage(), e);
    }
  }

  /** The same address with another database in it. */
  static String withDatabase(String url, String name) {
    int query = url.indexOf('?');
    String address = query < 0 ? url : url.substring(0, query);
    String parameters = query < 0 ? "" : url.substring(query);
    int slash = address.lastIndexOf('/');
    boolean named = slash > address.indexOf("//") + 1;
    return (named ? address.substring(0, slash) : address) + "/" + name + parameters;
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    } else if (template != null) {
      dropTemplate(template);
    }
  }

  private void dropTemplate(String name) {
    try {
      execute("drop database if exists " + name + " with (force)");
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The database %s could not be dropped: %s".formatted(name, e.getMessage()), e);
    }
  }
}
