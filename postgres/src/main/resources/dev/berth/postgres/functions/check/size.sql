-- No cap is lower: whoever has no more bytes need not ask how high it is.
create function berth_private.always_fits() returns integer language sql immutable as $$
  select 1000
$$;

-- p_what: payload, metadata or result. Large ones do not belong into a queue: each claim carries them to a worker.
create function berth_private.check_size(p_what text, p_type text, p_bytes integer) returns void language plpgsql as $$
declare
  v_most integer := (select c.bytes from berth_private.size_cap c);
begin
  if p_bytes > v_most then
    raise exception 'The % of a task of type % has % bytes; at most % are allowed: keep what is large elsewhere and say where '
                    'it is, or raise the number with berth.set_size_cap', p_what, p_type, p_bytes, v_most
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Of a batch; p_what: payload or metadata.
create function berth_private.check_sizes(p_what text, p_types text[], p_texts text[]) returns void language plpgsql as $$
begin
  if pg_column_size(p_texts) > berth_private.always_fits() then
    perform berth_private.check_size(p_what, s.type, octet_length(s.text))
      from unnest(p_types, p_texts) as s (type, text)
     where octet_length(s.text) > berth_private.always_fits();
  end if;
end $$;
