-- Metadata as key, value, key, value: what a client can read without a JSON parser.
create function berth_private.pairs(p_metadata jsonb) returns text[] language plpgsql immutable strict as $$
begin
  return array(select unnest(array[e.key, e.value]) from jsonb_each_text(p_metadata) as e (key, value) where e.value is not null);
end $$;

create function berth_private.unescaped(p_part text) returns text language sql immutable as $$
  select replace(replace(p_part, '%2F', '/'), '%25', '%')
$$;

create function berth_private.is_zone(p_zone text) returns boolean language plpgsql stable as $$
begin
  return timestamptz 'epoch' at time zone p_zone is not null;
exception when invalid_parameter_value then
  return false;
end $$;
