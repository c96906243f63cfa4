-- How many bytes the payload, the metadata and the result of a task may have, each for itself. What is there already stays.
create function berth.set_size_cap(bytes integer) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  if set_size_cap.bytes is null or set_size_cap.bytes not between berth_private.always_fits() and 100000000 then
    raise exception 'The size cap is from % to 100000000 bytes, not %', berth_private.always_fits(),
      coalesce(set_size_cap.bytes::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  update berth_private.size_cap c set bytes = set_size_cap.bytes;
end $$;
