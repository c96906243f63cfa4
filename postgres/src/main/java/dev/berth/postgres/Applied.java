package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What was applied to a database.
 *
 * @param checksums by number; {@link Functions#NUMBER} for the functions
 */
record Applied(Map<Integer, String> checksums) {

  /** By the catalog, which every role may read. */
  private static final String FOUND =
      """
      select exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
                      where n.nspname = 'berth' and p.proname = 'applied_migrations') as ours,
             exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                      where n.nspname = 'berth' and c.relname = 'schema_version') as early,
             (select n.nspowner <> r.oid from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.rolname = current_user
               where n.nspname = 'berth'
                 and pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')) as others
      """;

  private static final String CHECKSUMS = "select number, checksum from berth.applied_migrations()";

  /** For the owner, who may replace the function. */
  private static final String TABLE = "select number, checksum from berth_private.schema_version";

  static Applied read(Connection connection) throws SQLException {
    return read(connection, false);
  }

  /**
   * Nothing of a schema that belongs to others is called by a role that could have made it, such as
   * a superuser: that would lend its rights to whoever made a schema of this name before.
   */
  static Applied readOurs(Connection connection) throws SQLException {
    return read(connection, true);
  }

  private static Applied read(Connection connection, boolean onlyOurs) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean ours;
      try (ResultSet found = statement.executeQuery(FOUND)) {
        found.next();
        ours = found.getBoolean("ours");
        if (onlyOurs && found.getBoolean("others")) {
          SchemaOwner.refuseForeign(connection);
        }
        if (!ours && found.getBoolean("early")) {
          throw new StoreException(
              Kind.CORRUPT,
              "The schema berth was made by a version before 0.1.0, which cannot be migrated: drop"
                  + " it with `drop schema berth cascade`, then run `berth migrate`");
        }
      }
      return ours ? read(statement, CHECKSUMS) : new Applied(Map.of());
    }
  }

  static Applied readTable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return read(statement, TABLE);
    }
  }

  private static Applied read(Statement statement, String query) throws SQLException {
    Map<Integer, String> checksums = new HashMap<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        checksums.put(rows.getInt("number"), rows.getString("checksum"));
      }
    }
    return new Applied(Map.copyOf(checksums));
  }

  /** The number of the newest migration, 0 if there is none. */
  int version() {
    return checksums.keySet().stream().max(Integer::compare).orElse(0);
  }

  boolean isCurrent() {
    return version() == Migration.NEWEST && hasFunctions();
  }

  boolean hasFunctions() {
    return Functions.checksum().equals(checksums.get(Functions.NUMBER));
  }

  /** One that was changed after it was applied here. */
  Optional<Migration> changed() {
    return Migration.all().stream()
        .filter(migration -> checksums.containsKey(migration.number()))
        .filter(migration -> !migration.checksum().equals(checksums.get(migration.number())))
        .findFirst();
  }
}
