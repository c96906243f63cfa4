package dev.berth.benchmarks;

import java.sql.SQLException;

/** A million tasks in seconds: some are submitted, and the server copies them. */
final class Copies {

  /** Whatever columns there are, so that copies are as complete as what was submitted. */
  private static final String COPY =
      """
      do $$
      declare
        v_columns text;
        v_values  text;
      begin
        select string_agg(quote_ident(attname), ', ' order by attnum),
               string_agg(
                 case attname
                   when 'id' then 'berth.new_id()'
                   when 'position' then 't.position + n * interval ''1 microsecond'''
                   else 't.' || quote_ident(attname) end,
                 ', ' order by attnum)
          into v_columns, v_values
          from pg_attribute where attrelid = 'berth.task'::regclass and attnum > 0 and not attisdropped;
        execute format(
          'insert into berth.task (%%s) select %%s from generate_series(1, %d) n cross join berth.task t
            where t.type = %%L and t.state = ''ready''', v_columns, v_values, '%s');
      end $$
      """;

  private Copies() {}

  /** Adds so many copies of each ready task of a type. */
  static void of(BenchDatabase database, String type, int copies) throws SQLException {
    database.execute(COPY.formatted(copies, type));
  }
}
