package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A migration needs tables and views for itself, and whoever comes after it waits behind it. So it
 * waits for a moment only, lets the others through, and tries again; not for ever, for any role
 * that may read can keep a transaction open.
 */
final class TablesInUse {

  private static final Logger log = LoggerFactory.getLogger(TablesInUse.class);

  static final String LOCK_TIMEOUT = "set local lock_timeout = '2s'";

  /** No lock in time, or a deadlock: the migration was rolled back, and can come again. */
  private static final Set<String> STATES = Set.of("55P03", "40P01");

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** By columns that every role can read: of others' transactions the age is hidden. */
  private static final String HOLDERS =
      """
      select l.virtualtransaction, l.pid, coalesce(a.usename, '?') as role
        from pg_catalog.pg_locks l
        join pg_catalog.pg_class c on c.oid = l.relation
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        left join pg_catalog.pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'relation' and l.granted and n.nspname in ('berth', 'berth_private')
         and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
         and l.pid is distinct from pg_backend_pid()
       order by l.pid
      """;

  private final Duration longest;
  private final long began = System.nanoTime();
  private boolean first = true;

  /** Transactions that have been there at each try, and whose they are. */
  private Map<String, String> holders = Map.of();

  TablesInUse(Duration longest) {
    this.longest = longest;
  }

  static boolean is(SQLException failure) {
    return STATES.contains(failure.getSQLState());
  }

  /** After each try. */
  boolean noteHolders(Connection connection) throws SQLException {
    Map<String, String> now = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(HOLDERS)) {
      while (rows.next()) {
        int pid = rows.getInt("pid");
        now.put(
            rows.getString("virtualtransaction"),
            pid == 0
                ? "a prepared transaction"
                : "backend %d of role %s".formatted(pid, rows.getString("role")));
      }
    }
    if (!first) {
      now.keySet().retainAll(holders.keySet());
    }
    holders = now;
    first = false;
    return !now.isEmpty();
  }

  void pause(SQLException failure) {
    String holder = holders.values().stream().findFirst().orElse("somebody");
    if (System.nanoTime() - began >= longest.toNanos()) {
      throw new StoreException(
          Kind.UNAVAILABLE,
          "Could not migrate the schema: %s has had its tables in use for %d s, in one transaction;"
                  .formatted(holder, longest.toSeconds())
              + " end that, or the backend with pg_terminate_backend",
          failure);
    }
    log.info("Waiting with the migration: {} has the tables in use", holder);
    try {
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          Kind.UNAVAILABLE, "Could not migrate the schema: interrupted while it waited", failure);
    }
  }
}
