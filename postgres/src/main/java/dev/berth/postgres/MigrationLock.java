package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One migrates at a time, and the others wait. Any role can take an advisory lock, so nobody waits
 * in silence or for ever.
 */
final class MigrationLock {

  private static final Logger log = LoggerFactory.getLogger(MigrationLock.class);

  /** "berth" as a number; any constant that nobody else locks would do. */
  static final long NUMBER = 0x6265727468L;

  private static final String TAKE = "select pg_catalog.pg_try_advisory_xact_lock(" + NUMBER + ")";

  private static final String HOLDER =
      """
      select l.pid, coalesce(a.usename, '?') as role
        from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.granted and l.objsubid = 1
         and (l.classid::bigint << 32 | l.objid::bigint) = %d
         and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
       limit 1
      """
          .formatted(NUMBER);

  private static final Duration PAUSE = Duration.ofMillis(100);

  private MigrationLock() {}

  /** Held until the transaction ends. */
  static void take(Connection connection, Duration longest) throws SQLException {
    long until = System.nanoTime() + longest.toNanos();
    boolean said = false;
    try (Statement statement = connection.createStatement()) {
      while (!isTaken(statement)) {
        if (System.nanoTime() >= until) {
          throw new StoreException(
              Kind.UNAVAILABLE,
              "Could not migrate the schema: %s has held the lock of migrations for %d s; if it is"
                      .formatted(holder(statement), longest.toSeconds())
                  + " no migration, end it with pg_terminate_backend");
        }
        if (!said) {
          log.info("Waiting for another migration: {} holds its lock", holder(statement));
          said = true;
        }
        statement.execute("select pg_catalog.pg_sleep(" + PAUSE.toMillis() / 1000.0 + ")");
      }
    }
  }

  private static boolean isTaken(Statement statement) throws SQLException {
    try (ResultSet taken = statement.executeQuery(TAKE)) {
      taken.next();
      return taken.getBoolean(1);
    }
  }

  private static String holder(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(HOLDER)) {
      return row.next()
          ? "backend %d of role %s".formatted(row.getInt("pid"), row.getString("role"))
          : "another backend";
    }
  }
}
