-- What was applied to this database: each migration, and with the number 0 the functions. Older and newer versions of the
-- client ask too, so this stays as it is.
create function berth.applied_migrations() returns table (number integer, name text, checksum text) language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select v.number, v.name, v.checksum from berth_private.schema_version v order by v.number;
end $$;
