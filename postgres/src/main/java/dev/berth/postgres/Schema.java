package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema {@code berth} up to date: numbered SQL files, all in one transaction under an
 * advisory lock, recorded in a version table of their own so that they never meet the application's
 * Flyway or Liquibase. {@link #script()} prints the same SQL for teams that apply it themselves.
 */
public final class Schema {

  private static final Logger log = LoggerFactory.getLogger(Schema.class);

  /** "berth" as a number; any constant that nobody else locks would do. */
  private static final long LOCK = 0x6265727468L;

  private static final String VERSION_TABLE = Resources.read("migrations/schema_version.sql");

  private final Database database;
  private final List<Migration> migrations = Migration.all();

  public Schema(DataSource dataSource) {
    this.database = new Database(dataSource);
  }

  /**
   * Applies what is missing.
   *
   * @return the names of the migrations that were applied, none if it was up to date
   */
  public List<String> migrate() {
    return database.connected(
        "migrate the schema",
        Duration.ZERO, // a migration takes as long as it takes
        // nothing to do needs no right to create anything, and waits for nobody
        connection -> version(connection) == newest() ? List.of() : migrate(connection));
  }

  /** Fails with a clear sentence where the schema is not the one this version works with. */
  public void check() {
    int version = database.connected("read the schema version", Schema::version);
    if (version < newest()) {
      throw new StoreException(
          Kind.CORRUPT,
          (version == 0
                  ? "The database has no schema berth yet"
                  : "The schema berth is at version "
                      + version
                      + ", this version needs "
                      + newest())
              + ": run `berth migrate`, or start with migration on");
    }
    refuseNewer(version);
  }

  /** All migrations as one SQL script, with the lines that record them. */
  public static String script() {
    StringBuilder script =
        new StringBuilder("-- The schema of Berth. Apply in one transaction.\n\n");
    script.append(VERSION_TABLE.strip()).append("\n");
    for (Migration migration : Migration.all()) {
      script
          .append("\n-- ")
          .append(migration.name())
          .append("\n")
          .append(migration.sql().strip())
          .append("\n\n")
          .append(recording(migration))
          .append(";\n");
    }
    return script.toString();
  }

  private List<String> migrate(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select pg_advisory_xact_lock(" + LOCK + ")");
      statement.execute(VERSION_TABLE);
      int version = version(connection);
      refuseNewer(version);
      List<Migration> missing =
          migrations.stream().filter(migration -> migration.number() > version).toList();
      for (Migration migration : missing) {
        statement.execute(migration.sql());
        statement.execute(recording(migration));
        log.info("Applied schema migration {}", migration.name());
      }
      connection.commit();
      return missing.stream().map(Migration::name).toList();
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private int newest() {
    return migrations.getLast().number();
  }

  private void refuseNewer(int version) {
    if (version > newest()) {
      throw new StoreException(
          Kind.CORRUPT,
          "The schema berth is at version "
              + version
              + ", newer than this version of Berth knows ("
              + newest()
              + "): upgrade Berth here before it touches this database");
    }
  }

  private static int version(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet found =
          statement.executeQuery("select to_regclass('berth.schema_version') is not null")) {
        found.next();
        if (!found.getBoolean(1)) {
          return 0;
        }
      }
      try (ResultSet version =
          statement.executeQuery("select coalesce(max(number), 0) from berth.schema_version")) {
        version.next();
        return version.getInt(1);
      }
    }
  }

  private static String recording(Migration migration) {
    return "insert into berth.schema_version (number, name, checksum) values ("
        + migration.number()
        + ", '"
        + migration.name()
        + "', '"
        + migration.checksum()
        + "')";
  }
}
