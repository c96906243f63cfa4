-- The number of the newest migration: code that was built for another one is turned away.
create function berth_private.schema_number() returns integer language sql immutable as $$
  select 1
$$;

create function berth_private.check_schema(p_schema integer) returns void language plpgsql as $$
begin
  if p_schema is distinct from berth_private.schema_number() then
    raise exception 'The schema berth is at version %, and this worker was built for version %: start a worker of the version '
                    'that migrated the database', berth_private.schema_number(), coalesce(p_schema::text, 'none')
      using errcode = 'feature_not_supported';
  end if;
end $$;
