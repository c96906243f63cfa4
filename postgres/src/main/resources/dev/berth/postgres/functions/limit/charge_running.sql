-- Running tasks that are under a limit they had no slots of take theirs, beyond its number where it is full. Where it does
-- not limit there is nothing to take yet; then they are adopted once it does.
create function berth_private.charge_running(p_key text, p_ids uuid[]) returns void language plpgsql as $$
declare
  v_count integer;
  v_group integer;
  v_slots integer;
begin
  p_ids := array(select t.id from berth_private.task t where t.id = any (p_ids) and not t.standby);
  if p_ids = '{}' then
    return;
  end if;
  perform berth_private.lock_groups(array[p_key]);
  select l.slots into v_slots from berth_private.task_limit l where l.key = p_key for update;
  -- They started when it did not count for them: an audit must not hold that against it.
  insert into berth_private.limit_change as c (key, at, slots)
  select p_key, min(t.started_at), null from berth_private.task t where t.id = any (p_ids)
  on conflict (key, at) do update set slots = null;
  insert into berth_private.limit_change (key, at, slots) values (p_key, berth_private.now(), v_slots) on conflict do nothing;
  if v_slots is null then
    return;
  end if;
  select coalesce(min(g.number), max(l.first_group)) into v_group
    from berth_private.task_limit l left join berth_private.slot_group g on g.key = l.key where l.key = p_key;
  with charged as (
    update berth_private.task t
       set held = array(select h from unnest(t.held) as h where h.key <> p_key)
                  || (p_key, v_group, t.weights[array_position(t.limits, p_key)])::berth_private.slots_held
     where t.id = any (p_ids)
    returning t.weights[array_position(t.limits, p_key)] as weight)
  select sum(weight) into v_count from charged;
  insert into berth_private.slot_group as g (key, number, capacity, used) values (p_key, v_group, v_count, v_count)
  on conflict (key, number) do update set capacity = g.capacity + v_count, used = g.used + v_count;
  perform berth_private.resize(p_key, v_slots);
end $$;

-- A limit may be set by hand or by code while an exchange is under way that still sees none: what starts there takes no
-- slots. The sweep finds it within a second. One limit at a time, for the order of locks; all running tasks are read once,
-- which is not cheap: so only soon after the change.
create function berth_private.charge_late() returns void language plpgsql
  set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_new  text[] := array(
    select l.key from berth_private.task_limit l
     where coalesce(l.override_slots, l.code_slots) is not null and l.changed_at > berth_private.now() - interval '10 seconds'
       and split_part(l.key, '/', 3) = '');
  v_late record;
begin
  if v_new = '{}' then
    return;
  end if;
  select l.key, l.first_group, array_agg(t.id) as ids into v_late
    from berth_private.task t
   cross join lateral unnest(t.limits) as k (key)
    join berth_private.task_limit l on l.key = k.key
   where t.session_id is not null and t.state = 'running' and not t.standby and t.lane is not null
     and k.key = any (v_new)
     and not exists (select from unnest(t.held) as h where h.key = k.key and h.number >= l.first_group)
   group by l.key order by l.key limit 1;
  if found then
    perform berth_private.charge_running(v_late.key, array(
      select t.id from berth_private.task t
       where t.id = any (v_late.ids) and t.state = 'running'
         and not exists (select from unnest(t.held) as h where h.key = v_late.key and h.number >= v_late.first_group)
         for update skip locked));
  end if;
end $$;
