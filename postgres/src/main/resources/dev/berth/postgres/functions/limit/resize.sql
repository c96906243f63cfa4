-- Tasks may run, and holds be there, that no slot was taken for, since there was no such limit when they started. They
-- get theirs, all in one group. Returns by how many they exceed the limit. Who is locked is waited for a moment: it may be
-- a heartbeat. One that is still locked then is just ending, by somebody who may wait for one of the others: it is let go.
-- What it still names of the limit is nothing to it, since groups that are made anew have new numbers.
create function berth_private.adopt(p_key text, p_slots integer) returns integer
language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_group integer := coalesce((select l.first_group from berth_private.task_limit l where l.key = p_key), 1);
  v_ids   uuid[];
  v_task  record;
  v_used  integer := 0;
begin
  if p_slots is null then
    return 0;
  end if;
  for v_try in 1 .. 50 loop
    v_ids := array(
      select t.id from berth_private.task t
       where t.session_id is not null and t.state = 'running' and not t.standby and t.lane is not null
         and p_key = any (t.limits)
         and not exists (select from unnest(t.held) as h where h.key = p_key and h.number >= v_group));
    exit when v_ids = '{}';
    for v_task in
      select t.id, t.held, t.weights[array_position(t.limits, p_key)] as weight
        from berth_private.task t where t.id = any (v_ids) and t.session_id is not null and t.state::text = 'running'
         for update skip locked
    loop
      update berth_private.task t
         set held = array(select h from unnest(v_task.held) as h where h.key <> p_key)
                    || (p_key, v_group, v_task.weight)::berth_private.slots_held
       where t.id = v_task.id;
      v_used := v_used + v_task.weight;
      v_ids := array_remove(v_ids, v_task.id);
    end loop;
    exit when v_ids = '{}';
    perform pg_sleep(0.002);
  end loop;
  for v_task in select h.session_id, h.number, h.weight from berth_private.hold h where h.key = p_key for update skip locked loop
    update berth_private.hold h set held = array[(p_key, v_group, h.weight)::berth_private.slots_held]
     where h.session_id = v_task.session_id and h.number = v_task.number;
    v_used := v_used + v_task.weight;
  end loop;
  if v_used > 0 then
    insert into berth_private.slot_group (key, number, capacity, used) values (p_key, v_group, v_used, v_used);
    update berth_private.task_limit l set excess = v_used - p_slots where l.key = p_key and v_used > p_slots;
  end if;
  return greatest(0, v_used - p_slots);
end $$;

-- Who changes limits locks their groups first, for who gives slots back has groups and comes for the limits that drain.
create function berth_private.lock_groups(p_keys text[]) returns void language plpgsql as $$
begin
  perform from berth_private.slot_group g where g.key = any (p_keys) order by g.key, g.number for update;
end $$;

-- Changes the capacities of one key to this number, by draining where it is in use. Null removes them.
create function berth_private.resize(p_key text, p_slots integer) returns void language plpgsql as $$
declare
  v_excess integer;
  v_first  integer;
  v_total  integer;
  v_each   integer;
  v_group  record;
begin
  perform from berth_private.slot_group g where g.key = p_key order by g.number for update;
  if split_part(p_key, '/', 4) <> '' then
    -- One of many keys has one group, which may be over its capacity: then it has no room, and that is all.
    update berth_private.slot_group g set capacity = coalesce(p_slots, 2147483647) where g.key = p_key;
    return;
  end if;
  select l.excess, l.first_group into v_excess, v_first from berth_private.task_limit l where l.key = p_key for update;
  if not exists (select from berth_private.slot_group g where g.key = p_key) and coalesce(v_excess, 0) = 0 then
    v_excess := berth_private.adopt(p_key, p_slots);
  end if;
  if p_slots is null then
    delete from berth_private.slot_group g where g.key = p_key;
    update berth_private.task_limit l set excess = 0, first_group = l.first_group + 50 where l.key = p_key;
    return;
  end if;
  select coalesce(sum(g.capacity), 0) into v_total from berth_private.slot_group g where g.key = p_key;
  v_total := v_total - coalesce(v_excess, 0);  -- what was in force so far

  if p_slots > v_total then
    -- First forgive the excess, then add what is missing in groups of the finest split.
    v_total := p_slots - v_total;
    update berth_private.task_limit l set excess = greatest(0, v_excess - v_total) where l.key = p_key;
    v_total := v_total - least(v_excess, v_total);
    v_each := (p_slots + 49) / 50;
    for i in v_first .. v_first + 49 loop
      exit when v_total <= 0;
      insert into berth_private.slot_group as g (key, number, capacity, used) values (p_key, i, least(v_each, v_total), 0)
      on conflict (key, number) do nothing;
      if found then
        v_total := v_total - least(v_each, v_total);
      end if;
    end loop;
    -- Groups that were shrunk or split otherwise grow again.
    for v_group in select g.number, g.capacity from berth_private.slot_group g where g.key = p_key order by g.number loop
      exit when v_total <= 0;
      if v_group.capacity < v_each then
        update berth_private.slot_group g set capacity = g.capacity + least(v_each - v_group.capacity, v_total)
         where g.key = p_key and g.number = v_group.number;
        v_total := v_total - least(v_each - v_group.capacity, v_total);
      end if;
    end loop;
    if v_total > 0 then
      update berth_private.slot_group g set capacity = g.capacity + v_total
       where g.key = p_key and g.number = (select min(m.number) from berth_private.slot_group m where m.key = p_key);
    end if;
  elsif p_slots < v_total then
    v_total := v_total - p_slots;
    for v_group in
      select g.number, g.capacity - g.used as room from berth_private.slot_group g
       where g.key = p_key and g.used < g.capacity order by g.number desc
    loop
      exit when v_total = 0;
      update berth_private.slot_group g set capacity = g.capacity - least(v_group.room, v_total)
       where g.key = p_key and g.number = v_group.number;
      v_total := v_total - least(v_group.room, v_total);
    end loop;
    update berth_private.task_limit l set excess = l.excess + v_total where l.key = p_key;
    delete from berth_private.slot_group g where g.key = p_key and g.capacity = 0;
  end if;
end $$;
