-- The number that came with a task, before others get the key without one.
create function berth_private.said_of_own(p_key text) returns integer language sql stable as $$
  select n.slots
    from berth_private.task t cross join lateral unnest(t.limits, t.said_slots) as n (key, slots)
   where t.lane is not null and n.key = p_key limit 1
$$;

-- Nobody but a person has said a number if p_said is null: what is added to the tasks is none of their own.
create function berth_private.keep_said(p_key text, p_said integer) returns void language sql as $$
  insert into berth_private.task_limit as l (key, submit_slots, removed) values (p_key, p_said, p_said is null)
  on conflict (key) do update set submit_slots = excluded.submit_slots, removed = excluded.removed
    where l.submit_slots is null and l.code_slots is null and not l.removed
$$;

-- These tasks, which are locked, are under one limit more. Each lane is made once.
create function berth_private.put_under(p_ids uuid[], p_key text, p_slots integer) returns void language sql as $$
  with said as materialized (
    select t.id, coalesce(t.limits, '{}') as limits, coalesce(t.weights, '{}') as weights,
           coalesce(t.said_slots, '{}') as said_slots
      from berth_private.task t where t.id = any (p_ids)
  ), made as materialized (
    select d.limits as of_limits, d.weights as of_weights, d.said_slots as of_slots, n.*
      from (select distinct s.limits, s.weights, s.said_slots from said s) d
     cross join lateral berth_private.lane_of(d.limits || p_key, d.weights || 1, d.said_slots || p_slots) n
  )
  update berth_private.task t
     set lane = m.lane, limits = m.limits, weights = m.weights, said_slots = m.said_slots
    from said s
    join made m on m.of_limits = s.limits and m.of_weights = s.weights and m.of_slots = s.said_slots
   where t.id between s.id and s.id
$$;

-- A person has said something of the limit of a type: all its tasks are under it from now on, also those that wait or run
-- and were submitted without it. Locks tasks, then groups, then limits, as everybody does.
create function berth_private.put_type_under(p_key text, p_slots integer) returns void language plpgsql as $$
declare
  v_type text := berth_private.unescaped(split_part(p_key, '/', 2));
  v_said integer;
  v_ids  uuid[];
begin
  if not berth_private.is_own(p_key) then
    return;
  end if;
  v_said := berth_private.said_of_own(p_key);

  -- Those that do not run. Who is locked is just being claimed: it is waited for, but never with a lock on a task that
  -- somebody may be waiting for in turn, so by looking again.
  for v_try in 1 .. 500 loop
    v_ids := array(
      select t.id from berth_private.task t
       where t.type = v_type and t.state <> 'running' and (t.limits is null or p_key <> all (t.limits))
         for update skip locked);
    perform berth_private.put_under(v_ids, p_key, p_slots);
    exit when not exists (
      select from berth_private.task t
       where t.type = v_type and t.state <> 'running' and (t.limits is null or p_key <> all (t.limits)));
    perform pg_sleep(0.002);
  end loop;

  -- Those that run. One that ends at this moment is let go.
  v_ids := array(
    select t.id from berth_private.task t
     where t.type = v_type and t.state = 'running' and (t.limits is null or p_key <> all (t.limits))
       for update skip locked);
  perform berth_private.put_under(v_ids, p_key, p_slots);
  perform berth_private.lock_groups(array[p_key]);  -- before its limit, also if none of them runs
  perform berth_private.charge_running(p_key, v_ids);

  perform berth_private.keep_said(p_key, v_said);
end $$;
