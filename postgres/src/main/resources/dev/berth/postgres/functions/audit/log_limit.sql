create function berth_private.log_limit() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  v_key   text := coalesce(new.key, old.key);
  v_slots integer;
  v_last  record;
begin
  select case when split_part(l.key, '/', 4) <> '' then l.override_slots else l.slots end into v_slots
    from berth_private.task_limit l where l.key = v_key;
  select c.slots into v_last from berth_private.limit_change c where c.key = v_key order by c.at desc limit 1;
  if not found or v_last.slots is distinct from v_slots then
    insert into berth_private.limit_change (key, at, slots) values (v_key, berth_private.now(), v_slots)
    on conflict (key, at) do update set slots = excluded.slots;
  end if;
  return null;
end $$;

-- Forgets changes of numbers that no history is left of. The last one before that stays, it may still be in force; but not
-- that there was no number, which is as good as nothing.
create function berth_private.prune_limit_changes() returns void language sql as $$
  with old as (
    select c.key, c.at, c.slots, lead(c.at) over (partition by c.key order by c.at) as next,
           berth_private.now() - interval '1 day' * (
             1 + greatest(30, (select max(greatest(y.finished_days, y.failed_days)) from berth_private.task_type y))) as horizon
      from berth_private.limit_change c
  )
  delete from berth_private.limit_change c using old o
   where c.key = o.key and c.at = o.at and (o.next < o.horizon or o.next is null and o.slots is null and o.at < o.horizon)
$$;

create constraint trigger task_limit_log after insert or delete or update of slots, override_slots on berth_private.task_limit
  deferrable initially deferred for each row execute function berth_private.log_limit();
