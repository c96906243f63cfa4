package dev.berth.postgres;

import java.util.List;
import java.util.stream.Stream;

/**
 * The schema as text, read from the catalog: tables, indexes, types, sequences, views, functions.
 * Partitions of single days are left out; so is all that differs between versions of PostgreSQL.
 */
final class SchemaDump {

  private static final String HEADER =
      """
      -- The schemas berth and berth_private as migrations leave them, for readers and reviewers. Nothing runs this file: SchemaDumpTest
      -- compares it with a migrated database, and writes it anew when run with -Dberth.update-schema.
      """;

  private static final String TYPES =
      """
      select format('create type %s.%I as enum (%s);', t.typnamespace::regnamespace, t.typname,
                    string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder))
        from pg_type t join pg_enum e on e.enumtypid = t.oid
       where t.typnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace)
       group by t.typnamespace, t.typname order by t.typname
      """;

  private static final String SEQUENCES =
      """
      select format('create sequence %s.%I as %s;', c.relnamespace::regnamespace, c.relname, format_type(s.seqtypid, null))
        from pg_class c join pg_sequence s on s.seqrelid = c.oid
       where c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace)
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
       order by c.relname
      """;

  private static final String TABLES =
      """
      select format(E'create table %s.%I (\\n%s\\n)%s%s;', c.relnamespace::regnamespace, c.relname,
                    concat_ws(E',\\n', columns.text, constraints.text),
                    case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) end,
                    ' with (' || array_to_string(c.reloptions, ', ') || ')')
        from pg_class c
       cross join lateral (
         select string_agg(concat('  ', a.attname, ' ', format_type(a.atttypid, a.atttypmod),
                                  case when a.attnotnull then ' not null' end,
                                  case when a.attidentity = 'a' then ' generated always as identity' end,
                                  ' default ' || pg_get_expr(d.adbin, d.adrelid)), E',\\n' order by a.attnum) as text
           from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) columns
       cross join lateral (
         select string_agg(format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), E',\\n'
                           order by k.contype desc, k.conname) as text
           from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f')) constraints
       where c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) and c.relkind in ('r', 'p') and not c.relispartition
       order by c.relname
      """;

  private static final String INDEXES =
      """
      select pg_get_indexdef(i.indexrelid) || ';'
        from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) and not c.relispartition
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
       order by 1
      """;

  private static final String VIEWS =
      """
      select format(E'create view %s.%I (\\n%s\\n)%s;', c.relnamespace::regnamespace, c.relname,
                    string_agg(concat('  ', a.attname, ' ', format_type(a.atttypid, a.atttypmod)), E',\\n'
                               order by a.attnum),
                    ' with (' || array_to_string(c.reloptions, ', ') || ')')
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) and c.relkind = 'v'
       group by c.relnamespace, c.relname, c.reloptions order by c.relname
      """;

  private static final String FUNCTIONS =
      """
      select format(E'create function %s.%I(%s)\\n  returns %s%s;', p.pronamespace::regnamespace, p.proname,
                    pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
                    concat(case when p.prosecdef then ' security definer' end,
                           ' set ' || array_to_string(p.proconfig, ' set ')))
        from pg_proc p
       where p.pronamespace in ('berth'::regnamespace, 'berth_private'::regnamespace)
       order by p.pronamespace::regnamespace::text, p.proname, 1
      """;

  private SchemaDump() {}

  static String of(String url) {
    Stream<String> parts =
        Stream.of(TYPES, SEQUENCES, TABLES, INDEXES, VIEWS, FUNCTIONS)
            .map(query -> Sql.query(url, query))
            .map(SchemaDump::section);
    return HEADER + "\n" + String.join("\n", parts.toList());
  }

  private static String section(List<String> statements) {
    boolean lines = statements.stream().anyMatch(statement -> statement.contains("\n"));
    return String.join(lines ? "\n\n" : "\n", statements) + "\n";
  }
}
