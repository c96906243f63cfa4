package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schemas {@code berth} and {@code berth_private} up to date: numbered SQL files for the
 * tables, then all functions and views as a whole, all in one transaction under an advisory lock,
 * recorded in a table of their own so that they never meet the application's Flyway or Liquibase.
 * {@link #script()} prints the same SQL for teams that apply it themselves.
 */
public final class Schema {

  private static final Logger log = LoggerFactory.getLogger(Schema.class);

  private static final String VERSION_TABLE = Resources.read("migrations/schema_version.sql");

  /** Names in our files mean what they say, whoever can make objects in other schemas. */
  private static final String OWN_NAMES = "set local search_path = pg_catalog, pg_temp";

  private static final String LACKS_RIGHTS = "42501";

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private final Database database;
  private final Duration longestWait;

  public Schema(DataSource dataSource) {
    this(dataSource, LONGEST_WAIT);
  }

  /**
   * @param longestWait for another migration, and for transactions that have the tables in use
   */
  Schema(DataSource dataSource, Duration longestWait) {
    this.database = new Database(dataSource);
    this.longestWait = longestWait;
  }

  /**
   * Applies what is missing.
   *
   * @return the names of what was applied, none if it was up to date
   */
  public List<String> migrate() {
    return database.connected(
        "migrate the schema",
        Duration.ZERO, // a migration takes as long as it takes
        connection -> {
          TablesInUse inUse = new TablesInUse(longestWait);
          while (true) {
            try {
              return inOwnNames(connection, this::migrate);
            } catch (SQLException e) {
              if (!TablesInUse.is(e)) {
                throw e;
              }
              inOwnNames(connection, on -> inUse.noteHolders(on));
              inUse.pause(e);
            }
          }
        });
  }

  /** Fails with a clear sentence where the schema is not the one this version works with. */
  public void check() {
    Applied applied =
        database.connected(
            "read the schema version", connection -> inOwnNames(connection, Applied::read));
    refuse(applied);
    if (!applied.isCurrent()) {
      throw new StoreException(
          Kind.CORRUPT, behind(applied) + ": run `berth migrate`, or start with migration on");
    }
  }

  /** All migrations and functions as one SQL script, with the lines that record them. */
  public static String script() {
    StringBuilder script =
        new StringBuilder("-- The schema of Berth. Apply in one transaction.\n\n");
    script.append(OWN_NAMES).append(";\n\n");
    // whoever applies it looks at no owners: it takes over nothing that is there
    script.append(VERSION_TABLE.replace("if not exists ", "").strip()).append("\n");
    for (Migration migration : Migration.all()) {
      script.append("\n-- ").append(migration.name()).append("\n");
      script.append(migration.sql().strip()).append("\n\n");
      script.append(recording(migration)).append(";\n");
    }
    script.append("\n").append(Functions.sql()).append("\n");
    return script.append(RECORDING_FUNCTIONS).append(";\n").toString();
  }

  /** In one transaction in which nothing is called that others put in the way of a name. */
  private static <T> T inOwnNames(Connection connection, Database.ConnectionWork<T> work)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(OWN_NAMES);
      T done = work.on(connection);
      connection.commit();
      return done;
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private List<String> migrate(Connection connection) throws SQLException {
    // nothing to do needs no right to create anything, and waits for nobody
    Applied applied = Applied.readOurs(connection);
    refuse(applied);
    if (applied.isCurrent()) {
      return List.of();
    }
    try {
      return applyMissing(connection);
    } catch (SQLException e) {
      if (LACKS_RIGHTS.equals(e.getSQLState())) {
        throw mayNotCreate(e);
      }
      throw e;
    }
  }

  private List<String> applyMissing(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      MigrationLock.take(connection, longestWait);
      SchemaOwner.check(connection);
      statement.execute(TablesInUse.LOCK_TIMEOUT);
      statement.execute(VERSION_TABLE);
      SchemaOwner.refuseForeign(connection);
      Applied applied = Applied.readTable(connection);
      refuse(applied);
      List<String> done = new ArrayList<>();
      for (Migration migration : Migration.all()) {
        if (migration.number() > applied.version()) {
          statement.execute(migration.sql());
          statement.execute(recording(migration));
          done.add(migration.name());
        }
      }
      if (!applied.hasFunctions()) {
        statement.execute(Functions.sql());
        statement.execute(RECORDING_FUNCTIONS);
        done.add(Functions.NAME);
      }
      connection.commit();
      done.forEach(name -> log.info("Applied {} to the schema berth", name));
      return List.copyOf(done);
    }
  }

  /** There is no schema yet, or it is ours: what is missing is the right to make more in it. */
  private static StoreException mayNotCreate(SQLException e) {
    return new StoreException(
        Kind.CORRUPT,
        "Could not migrate the schema: %s; to make the schemas berth and berth_private, this role"
                .formatted(Failures.firstLine(e))
            + " needs the right CREATE on the database (grant create on database), or another role"
            + " that has it runs `berth migrate`",
        e);
  }

  /** Nobody works with tables of which one version says this and another one that. */
  private static void refuse(Applied applied) {
    if (applied.version() > Migration.NEWEST) {
      throw new StoreException(
          Kind.CORRUPT,
          "The schema berth is at version %d, newer than this version of Berth knows (%d): upgrade"
                  .formatted(applied.version(), Migration.NEWEST)
              + " Berth here before it touches this database");
    }
    applied
        .changed()
        .ifPresent(migration -> {
          throw new StoreException(
              Kind.CORRUPT,
              "The migration %s of this database is another one than that of this version of"
                      .formatted(migration.name())
                  + " Berth: both were changed after a release, or the database is of a"
                  + " version between two releases; drop the schemas berth and berth_private,"
                  + " or use the version that made them");
        });
  }

  private static String behind(Applied applied) {
    if (applied.version() == 0) {
      return "The database has no schema berth yet";
    }
    return applied.version() < Migration.NEWEST
        ? "The schema berth is at version %d, this version needs %d"
            .formatted(applied.version(), Migration.NEWEST)
        : "The functions of the schema berth are not those of this version";
  }

  private static String recording(Migration migration) {
    return "insert into berth_private.schema_version (number, name, checksum) values (%d, '%s', '%s')"
        .formatted(migration.number(), migration.name(), migration.checksum());
  }

  private static final String RECORDING_FUNCTIONS =
      "insert into berth_private.schema_version (number, name, checksum) values (%d, '%s', '%s') on"
              .formatted(Functions.NUMBER, Functions.NAME, Functions.checksum())
          + " conflict (number) do update set checksum = excluded.checksum, applied_at ="
          + " clock_timestamp()";
}
