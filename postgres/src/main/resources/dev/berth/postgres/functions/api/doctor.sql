-- Doctor: proves that the counters of limits are what they should be, and counts anew where they are not.

-- Counters that differ from what they should be; see find_drift.
create function berth.drift(p_key text default null)
returns table (key text, counter text, number integer, counted bigint, actual bigint) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select d.key, d.counter, d.number, d.counted, d.actual from berth_private.find_drift(p_key) d
    where berth_private.is_key(d.key);
end $$;

-- Rows that somebody wrote by hand and that nobody can work with; the views leave them out where they cannot be shown.
create function berth.unreadable() returns table (kind text, name text, fault text) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select u.kind, u.name, u.fault from berth_private.find_unreadable() u;
end $$;

-- Fails tasks of these queues and types that no claim can read, so that the others can be claimed. Looks at ten thousand after
-- an id, and returns the last of them; null: there are no more.
create function berth.fail_unreadable(
  p_queues text[], p_types text[], p_after uuid default null, out failed integer, out last uuid
) language plpgsql set lock_timeout = '500ms'
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  select f.failed, f.last into failed, last from berth_private.fail_unreadable(p_queues, p_types, p_after) f;
end $$;

-- A gauge for any tool that speaks SQL: it must have no rows.
create view berth.slot_drift as select * from berth.drift();

-- Counts the slots of one limit anew. Whoever takes or gives back slots has their group locked until it commits, so with
-- all groups locked the running tasks hold still: those that were ending wait, and then subtract from what is written here.
create function berth.recount_limit(p_key text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_slots integer;
  v_used  bigint;
begin
  perform from berth_private.slot_group g where g.key = p_key order by g.number for update;
  perform from berth_private.task_limit l where l.key = p_key for update;
  if not exists (select from berth_private.find_drift(p_key)) then
    return 'unchanged';
  end if;

  select l.slots into v_slots from berth_private.limit_of(p_key) l;
  if v_slots is null and split_part(p_key, '/', 4) = '' then
    delete from berth_private.slot_group g where g.key = p_key;
    return 'done';
  end if;
  insert into berth_private.slot_group (key, number, capacity, used)
  select distinct h.key, h.number, 0, 0 from berth_private.slot_holder h where h.key = p_key
  on conflict do nothing;
  update berth_private.slot_group g
     set used = coalesce((select sum(h.count) from berth_private.slot_holder h where h.key = g.key and h.number = g.number), 0)
   where g.key = p_key;

  -- Nothing is free but what resize adds: it makes the groups add up to the number in force.
  update berth_private.slot_group g set capacity = g.used where g.key = p_key;
  delete from berth_private.slot_group g where g.key = p_key and g.used = 0;
  select coalesce(sum(g.used), 0) into v_used from berth_private.slot_group g where g.key = p_key;
  update berth_private.task_limit l set excess = greatest(0, v_used - v_slots)
   where l.key = p_key and split_part(p_key, '/', 4) = '';
  perform berth_private.resize(p_key, v_slots);
  perform berth_private.wake_ready(q, -1, 'epoch') from berth_private.limited_queues() as q;
  return 'done';
end $$;
