package dev.berth.benchmarks;

import dev.berth.embedded.LocalPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

  private final String url;
  private final String description;
  private final @Nullable LocalPostgres own;
  private @Nullable Consumer<String> functions;
  private final AtomicInteger databases = new AtomicInteger();

  private Server(String url, String description, @Nullable LocalPostgres own) {
    this.url = url;
    this.description = description;
    this.own = own;
  }

  /**
   * An installed PostgreSQL where there is one, since the embedded build is not made for speed; it
   * commits durably.
   */
  public static Server start() {
    LocalPostgres own =
        LocalPostgres.start(
            LocalPostgres.Options.defaults()
                .preferInstalled()
                // two fleets of eight workers
                .setting("max_connections", "300")
                // no checkpoint in the middle of a round
                .setting("max_wal_size", "8GB")
                .setting("checkpoint_timeout", "30min"));
    return new Server(
        own.jdbcUrl(), own.describe() + ", " + settings(own.jdbcUrl(), "synchronous_commit"), own);
  }

  /**
   * A server that is there already. Databases of ours are created on it and dropped again; the one
   * in the URL is not touched.
   */
  public static Server at(String url) {
    return new Server(
        url,
        "PostgreSQL %s, %s, %s"
            .formatted(
                setting(url, "server_version"),
                settings(url, "synchronous_commit"),
                settings(url, "fsync")),
        null);
  }

  /** Tells of each database where its server spent the time, function by function. */
  public Server tellingFunctions(Consumer<String> listener) {
    functions = listener;
    return this;
  }

  /** Its version, where it comes from, and how durable its commits are. */
  public String describe() {
    return description;
  }

  /** Whether it shares our clock. */
  boolean here() {
    return own != null;
  }

  /** An empty database. */
  BenchDatabase database() throws SQLException {
    String name =
        "berth_bench_%d_%d".formatted(ProcessHandle.current().pid(), databases.incrementAndGet());
    execute("create database " + name);
    if (functions != null) {
      execute("alter database " + name + " set track_functions = 'all'");
    }
    return new BenchDatabase(this, name, withDatabase(url, name));
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

  private static String settings(String url, String name) {
    return name + " " + setting(url, name);
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
    }
  }
}
