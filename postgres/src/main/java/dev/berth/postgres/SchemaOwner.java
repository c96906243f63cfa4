package dev.berth.postgres;

import dev.berth.store.StoreException;
import dev.berth.store.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Whoever owns a schema or a table can put a trigger there that runs as the one who migrates. So
 * nothing is taken over that somebody else made.
 */
final class SchemaOwner {

  private static final String FOREIGN =
      """
      select o.what, o.owner::regrole::text as owner, current_user as we
        from (select 'schema ' || n.nspname as what, n.nspowner as owner
                from pg_catalog.pg_namespace n where n.nspname in ('berth', 'berth_private')
              union all
              select format('relation %I.%I', n.nspname, c.relname), c.relowner
                from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
               where n.nspname in ('berth', 'berth_private')
              union all
              select format('type %I.%I', n.nspname, t.typname), t.typowner
                from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
               where n.nspname in ('berth', 'berth_private')
              union all
              select 'function ' || p.oid::regprocedure, p.proowner
                from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
               where n.nspname in ('berth', 'berth_private') and p.proname !~ '^run_as_[0-9]+$') o
       where o.owner <> (select r.oid from pg_catalog.pg_roles r where r.rolname = current_user)
       order by o.what not like 'schema%', o.what
       limit 1
      """;

  /** What stands in our schemas although nothing was migrated yet. */
  private static final String STRANGE =
      """
      select format('%I.%I', n.nspname, o.name) as name
        from pg_catalog.pg_namespace n
        join (select c.relnamespace as schema, c.relname as name from pg_catalog.pg_class c
              union all
              select p.pronamespace, p.proname from pg_catalog.pg_proc p) o on o.schema = n.oid
       where n.nspname in ('berth', 'berth_private')
         and not exists (select from pg_catalog.pg_class v join pg_catalog.pg_namespace s on s.oid = v.relnamespace
                          where s.nspname = 'berth_private' and v.relname = 'schema_version')
       order by 1 limit 1
      """;

  private SchemaOwner() {}

  static void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      refuseForeign(statement);
      refuseStrange(statement);
    }
  }

  private static void refuseStrange(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(STRANGE)) {
      if (row.next()) {
        throw new StoreException(
            Kind.INVALID,
            "Could not migrate the schema: there is %s, which is not Berth's; the schemas berth and"
                    .formatted(row.getString("name"))
                + " berth_private must be empty or not there at all");
      }
    }
  }

  /** Again, when everything is there: until then somebody else could still make it. */
  static void refuseForeign(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      refuseForeign(statement);
    }
  }

  private static void refuseForeign(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(FOREIGN)) {
      if (row.next()) {
        String owner = row.getString("owner");
        throw new StoreException(
            Kind.INVALID,
            "Could not migrate the schema: the %s belongs to role %s, and you are %s; migrate as %s if"
                    .formatted(row.getString("what"), owner, row.getString("we"), owner)
                + " it made the schema for Berth, and start with migration off, or else drop what"
                + " it made");
      }
    }
  }
}
