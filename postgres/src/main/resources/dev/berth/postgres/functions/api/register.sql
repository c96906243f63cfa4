-- Written only where something differs: many workers start at once with the same types.
create function berth.register_types(
  p_names text[], p_finished_days integer[], p_failed_days integer[], p_max_crashes integer[]
) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_names('task type', p_names);
  perform berth_private.check_days(r.name, r.finished_days, r.failed_days)
     from unnest(p_names, p_finished_days, p_failed_days) as r (name, finished_days, failed_days);
  insert into berth_private.task_type as y (name, finished_days, failed_days, max_crashes, registered_at)
  select r.name, r.finished_days, r.failed_days, r.max_crashes, berth_private.now()
    from unnest(p_names, p_finished_days, p_failed_days, p_max_crashes)
      as r (name, finished_days, failed_days, max_crashes)
    left join berth_private.task_type k on k.name = r.name
   where (k.finished_days, k.failed_days, k.max_crashes)
         is distinct from (r.finished_days, r.failed_days, r.max_crashes)
   order by r.name
  on conflict (name) do update
    set finished_days = excluded.finished_days, failed_days = excluded.failed_days,
        max_crashes = excluded.max_crashes, registered_at = excluded.registered_at;
end $$;

-- What a worker's code says of the limits of its types; a type that had one and has none now loses it. Returns where that
-- is not what was there: what is said now, what other code had said, and what a person has set, which counts before it.
create function berth.register_limits(
  p_types text[], p_keys text[], p_slots integer[],
  p_paces bigint[],     -- microseconds
  p_in_file boolean[]   -- whether the number stands in a file
) returns table (key text, slots integer, before integer, by_hand integer) language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_key text;
begin
  perform berth_private.check_any_key('limit', k.key), berth_private.check_slots(k.key, k.slots),
          berth_private.check_pace(k.key, k.pace)
     from unnest(p_keys, p_slots, p_paces) as k (key, slots, pace);
  return query
    select l.key, k.slots, nullif(l.code_slots, k.slots), case when k.slots is not null or l.code_slots is not null
      then l.override_slots end
      from berth_private.task_limit l
      left join unnest(p_keys, p_slots) as k (key, slots) on k.key = l.key
     where (k.key is not null
            or exists (select from unnest(p_types) as t (key) where l.key = t.key or starts_with(l.key, t.key || '/')))
       and (l.code_slots <> k.slots or l.code_slots is not null and k.slots is null
            or l.override_slots is not null and k.slots is not null)
       and berth_private.is_key(l.key)
     order by l.key;
  perform berth_private.lock_groups(array(
    select l.key from berth_private.task_limit l
      left join unnest(p_keys, p_slots) as k (key, slots) on k.key = l.key
     where l.code_slots is distinct from k.slots
       and (k.key is not null
            or exists (select from unnest(p_types) as t (key) where l.key = t.key or starts_with(l.key, t.key || '/')))));
  insert into berth_private.task_limit as l (key, code_slots, in_file, pace)
  select k.key, k.slots, k.in_file, k.pace * interval '1 microsecond'
    from unnest(p_keys, p_slots, p_in_file, p_paces) as k (key, slots, in_file, pace)
    left join berth_private.task_limit known on known.key = k.key
   where (known.code_slots, known.in_file, known.pace)
         is distinct from (k.slots, k.in_file, k.pace * interval '1 microsecond')
      or known.idle_since is not null
   order by k.key
  on conflict (key) do update
    set code_slots = excluded.code_slots, in_file = excluded.in_file, pace = excluded.pace, removed = false,
        idle_since = null;
  update berth_private.task_limit l set code_slots = null, submit_slots = null, removed = true
    from unnest(p_types) as t (key)
   where (l.key = t.key or starts_with(l.key, t.key || '/')) and l.key <> all (p_keys)
     and (l.code_slots is not null or l.submit_slots is not null);
  for v_key in
    select l.key from berth_private.task_limit l
     where l.slots is distinct from coalesce(l.override_slots, l.code_slots, l.submit_slots)
       and split_part(l.key, '/', 4) = ''
     order by l.key
  loop
    perform berth_private.settle_limit(v_key);
  end loop;
end $$;

-- What the code of a worker says of its types: each entry of p_of has the limit p_keys. Written only where it differs.
create function berth.register_type_limits(
  p_types text[], p_of text[], p_keys text[], p_weights integer[], p_slots integer[]
) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_names('task type', p_of);
  perform berth_private.check_any_key('limit', k.key), berth_private.check_weight(k.key, k.weight),
          berth_private.check_slots(k.key, k.slots)
     from unnest(p_keys, p_weights, p_slots) as k (key, weight, slots);
  insert into berth_private.type_limit as l (type, key, weight, slots)
  select r.type, r.key, r.weight, r.slots
    from unnest(p_of, p_keys, p_weights, p_slots) as r (type, key, weight, slots)
    left join berth_private.type_limit k on k.type = r.type and k.key = r.key
   where (k.weight, k.slots) is distinct from (r.weight, r.slots)
   order by r.type, r.key
  on conflict (type, key) do update set weight = excluded.weight, slots = excluded.slots;
  delete from berth_private.type_limit l
   where l.type = any (p_types)
     and not exists (select from unnest(p_of, p_keys) as r (type, key) where r.type = l.type and r.key = l.key);
end $$;

-- And of their quotas.
create function berth.register_type_quotas(
  p_types text[], p_of text[], p_keys text[], p_mosts integer[], p_when_full text[]
) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_names('task type', p_of), berth_private.check_quotas(p_keys, p_mosts, p_when_full);
  insert into berth_private.type_quota as q (type, key, most, when_full)
  select r.type, r.key, r.most, r.when_full
    from unnest(p_of, p_keys, p_mosts, p_when_full) as r (type, key, most, when_full)
    left join berth_private.type_quota k on k.type = r.type and k.key = r.key
   where (k.most, k.when_full) is distinct from (r.most, r.when_full) or k.idle_since is not null
   order by r.type, r.key
  on conflict (type, key) do update set most = excluded.most, when_full = excluded.when_full, idle_since = null;
  delete from berth_private.type_quota q
   where q.type = any (p_types)
     and not exists (select from unnest(p_of, p_keys) as r (type, key) where r.type = q.type and r.key = q.key);
end $$;

-- What the file of a worker says: all of it, so what it says no more is gone. Times in milliseconds.
create function berth.register_topics(
  p_names text[], p_max_parallel integer[], p_retry_counts integer[], p_delays bigint[]
) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_changed text[];
begin
  perform case when f.name <> '' then berth_private.topic_key(f.name) end,
          berth_private.check_topic(f.max_parallel, f.retry_count, f.delay * interval '1 millisecond')
     from unnest(p_names, p_max_parallel, p_retry_counts, p_delays) as f (name, max_parallel, retry_count, delay);
  with said as (
    select f.name, f.max_parallel, f.retry_count, f.delay * interval '1 millisecond' as pace
      from unnest(p_names, p_max_parallel, p_retry_counts, p_delays) as f (name, max_parallel, retry_count, delay)
  )
  select array_agg(coalesce(s.name, t.name) order by coalesce(s.name, t.name)) into v_changed
    from said s full join berth_private.topic t on t.name = s.name
   where (s.max_parallel, s.retry_count, s.pace) is distinct from (t.file_max_parallel, t.file_retry_count, t.file_pace);
  if v_changed is null then
    return;
  end if;
  update berth_private.topic t set file_max_parallel = null, file_retry_count = null, file_pace = null
   where t.name = any (v_changed) and t.name <> all (p_names);
  insert into berth_private.topic as t (name, file_max_parallel, file_retry_count, file_pace)
  select f.name, f.max_parallel, f.retry_count, f.delay * interval '1 millisecond'
    from unnest(p_names, p_max_parallel, p_retry_counts, p_delays) as f (name, max_parallel, retry_count, delay)
   where f.name = any (v_changed)
  on conflict (name) do update
    set file_max_parallel = excluded.file_max_parallel, file_retry_count = excluded.file_retry_count,
        file_pace = excluded.file_pace;
  perform berth_private.settle_topics(c) from unnest(v_changed) as c;
end $$;
