-- Limits of types: what all tasks of a type are under, whoever submits them.
--
-- A submit names the limits of its task. Whoever does not know those of the type, such as SQL or an older version of the
-- code, would be a way around them. So a submit looks here and adds what is missing: a read of a small table, no lock.

-- What the code of workers says; what a person says of the limit of a type stands in task_limit.
create table berth.type_limit (
  type   text    not null,
  key    text    not null,  -- the type's own limit, a shared one, or the rule of many keys
  weight integer not null,
  slots  integer not null,  -- the number that was said with it
  constraint type_limit_pkey primary key (type, key)
);

-- A key that carries the number of many keys: type/mail/user.
create function berth.is_rule(p_key text) returns boolean language sql immutable as $$
  select split_part(p_key, '/', 3) <> '' and split_part(p_key, '/', 4) = ''
$$;

create function berth.type_key(p_type text) returns text language sql immutable as $$
  select 'type/' || replace(replace(p_type, '%', '%25'), '/', '%2F')
$$;

create function berth.unescaped(p_part text) returns text language sql immutable as $$
  select replace(replace(p_part, '%2F', '/'), '%25', '%')
$$;

-- The lane of a task under these limits, written as the client writes it: from the most to the least shared.
create function berth.lane_of(
  p_keys text[], p_weights integer[], p_slots integer[],
  out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language sql immutable as $$
  select string_agg(k.name, ' ' order by k.rank, k.key), array_agg(k.key order by k.rank, k.key),
         array_agg(k.weight order by k.rank, k.key), array_agg(k.slots order by k.rank, k.key)
    from (select u.key collate "C" as key, u.weight, u.slots,
                 case when starts_with(u.key, 'limit/') then 0 else cardinality(string_to_array(u.key, '/')) end as rank,
                 replace(replace(u.key, ' ', '%20'), '*', '%2A')
                   || case when u.weight > 1 then '*' || u.weight else '' end as name
            from unnest(p_keys, p_weights, p_slots) as u (key, weight, slots)) k
$$;

-- The limits that every task of a type is under; not one of many keys, whose value only the submitter knows.
create function berth.limits_of_type(p_type text) returns table (key text, weight integer, slots integer)
language sql stable as $$
  select l.key, l.weight, l.slots from berth.type_limit l where l.type = p_type and not berth.is_rule(l.key)
  union all
  select l.key, 1, coalesce(l.override_slots, 1000000)
    from berth.task_limit l
   where l.key = berth.type_key(p_type) and (l.override_slots is not null or l.paused)
     and not exists (select from berth.type_limit y where y.type = p_type and y.key = l.key)
$$;

-- The lane of a task of this type that names these limits, with those of its type that it does not name.
create function berth.lane_of_type(
  p_type text, p_keys text[], p_weights integer[], p_slots integer[],
  out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language sql stable as $$
  select n.lane, n.limits, n.weights, n.said_slots
    from (select array_agg(l.key) as keys, array_agg(l.weight) as weights, array_agg(l.slots) as slots
            from berth.limits_of_type(p_type) l where p_keys is null or l.key <> all (p_keys)) m
   cross join lateral berth.lane_of(p_keys || m.keys, p_weights || m.weights, p_slots || m.slots) n
$$;

-- The same for a batch of submit_batch; all null if there is nothing to add. Looks once for each type, and makes each lane
-- once: a batch is of few types as a rule.
create function berth.add_type_limits(
  p_types text[], p_limits text[], p_weights text[], p_said_slots text[],
  out lanes text[], out limits text[], out weights text[], out said_slots text[]
) language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  v_types text[] := p_types;
  v_known record;
begin
  if cardinality(p_types) = 1 then  -- by far the most: quicker than to make arrays
    perform from berth.limits_of_type(p_types[1]) l where p_limits[1] is null or l.key <> all (p_limits[1]::text[]);
    if not found then
      return;
    end if;
  else
    v_types := array(select distinct t.type from unnest(p_types) as t (type));
  end if;
  select array_agg(y.type) as types, array_agg(l.key) as keys into v_known
    from unnest(v_types) as y (type) cross join lateral berth.limits_of_type(y.type) l;
  if v_known.types is null then
    return;
  end if;
  perform from unnest(p_types, p_limits) as s (type, limits)
          join unnest(v_known.types, v_known.keys) as l (type, key) on l.type = s.type
         where s.limits is null or l.key <> all (s.limits::text[])
         limit 1;
  if not found then
    return;
  end if;
  with said as materialized (
    select s.type, coalesce(s.limits, '{}') as limits, coalesce(s.weights, '{}') as weights,
           coalesce(s.said_slots, '{}') as said_slots, s.number
      from unnest(p_types, p_limits, p_weights, p_said_slots) with ordinality
        as s (type, limits, weights, said_slots, number)
  ), made as materialized (
    select d.type, d.limits as of_limits, d.weights as of_weights, d.said_slots as of_slots, n.*
      from (select distinct s.type, s.limits, s.weights, s.said_slots from said s) d
     cross join lateral berth.lane_of_type(
       d.type, d.limits::text[], d.weights::integer[], d.said_slots::integer[]) n
  )
  select array_agg(m.lane order by s.number), array_agg(m.limits::text order by s.number),
         array_agg(m.weights::text order by s.number), array_agg(m.said_slots::text order by s.number)
    into lanes, limits, weights, said_slots
    from said s
    join made m on m.type = s.type and m.of_limits = s.limits and m.of_weights = s.weights and m.of_slots = s.said_slots;
end $$;

-- The limits of a submit from SQL: keys ["limit/gpu"] whose numbers are known, or an object of numbers {"limit/gpu": 4},
-- of null where the number is known, or of {"slots": 4, "weight": 2} with one or both.
create function berth.read_limits(
  p_type text, p_limits jsonb, out keys text[], out weights integer[], out slots integer[]
) language plpgsql stable as $$
declare
  v_own    text := berth.type_key(p_type);
  v_key    text;
  v_said   jsonb;
  v_slots  numeric;
  v_weight numeric;
begin
  if jsonb_typeof(p_limits) = 'array' and not jsonb_path_exists(p_limits, '$[*] ? (@.type() != "string")') then
    p_limits := coalesce((select jsonb_object_agg(k.key, null) from jsonb_array_elements_text(p_limits) as k (key)), '{}');
  end if;
  if jsonb_typeof(p_limits) <> 'object' then
    raise exception 'Limits are a list of keys, such as ["limit/gpu"], or an object, such as {"limit/gpu": 4} or '
                    '{"limit/gpu": {"slots": 4, "weight": 2}}'
      using errcode = 'invalid_parameter_value';
  end if;
  for v_key, v_said in select l.key, l.value from jsonb_each(p_limits) as l (key, value) loop
    perform berth.check_key('limit', v_key);
    if starts_with(v_key, 'type/') and v_key <> v_own and not starts_with(v_key, v_own || '/') then
      raise exception 'A task of type % cannot be under the limit %, which is one of another type', p_type, v_key
        using errcode = 'invalid_parameter_value';
    end if;
    if jsonb_typeof(v_said) = 'number' then
      v_said := jsonb_build_object('slots', v_said);
    elsif jsonb_typeof(v_said) = 'null' then
      v_said := '{}';
    end if;
    if jsonb_typeof(v_said) <> 'object' or exists (
         select from jsonb_each(v_said) as s (name, value)
          where s.name not in ('slots', 'weight') or jsonb_typeof(s.value) <> 'number') then
      raise exception 'The limit % is said with a number of slots, null, or {"slots": 4, "weight": 2}, but it was %', v_key, v_said
        using errcode = 'invalid_parameter_value';
    end if;
    select coalesce(l.code_slots, l.submit_slots, l.override_slots) into v_slots
      from berth.task_limit l where l.key = berth.rule_of(v_key);
    select l.weight into v_weight from berth.type_limit l where l.type = p_type and l.key = v_key;
    v_slots := coalesce((v_said ->> 'slots')::numeric, v_slots);
    v_weight := coalesce((v_said ->> 'weight')::numeric, v_weight, 1);
    if v_slots is null then
      raise exception 'Nobody has said how many slots the limit % has: say it, as in {"%": 4}', v_key, v_key
        using errcode = 'invalid_parameter_value';
    elsif v_slots not between 0 and 1000000 or v_slots % 1 <> 0 then
      raise exception 'The limit % cannot have % slots: use 0 (blocks) to 1000000', v_key, v_slots
        using errcode = 'invalid_parameter_value';
    elsif v_weight not between 1 and 1000000 or v_weight % 1 <> 0 then
      raise exception 'A task cannot take % slots of the limit %: use 1 to 1000000', v_weight, v_key
        using errcode = 'invalid_parameter_value';
    end if;
    keys := keys || v_key;
    weights := weights || v_weight::integer;
    slots := slots || v_slots::integer;
  end loop;
end $$;

-- The lane of a submit from SQL. A task of a type that is limited for each value of something is refused without it.
create function berth.sql_lane(
  p_type text, p_limits jsonb, out lane text, out limits text[], out weights integer[], out said_slots integer[]
) language plpgsql stable as $$
declare
  v_said record;
  v_rule text;
begin
  select r.keys, r.weights, r.slots into v_said from berth.read_limits(p_type, coalesce(p_limits, '{}')) r;
  select l.key into v_rule
    from berth.type_limit l
   where l.type = p_type and berth.is_rule(l.key)
     and not exists (select from unnest(v_said.keys) as k where starts_with(k, l.key || '/'))
   order by l.key limit 1;
  if found then
    raise exception 'A task of type % needs a % for its limit %: name it, as in limits => ''["%/…"]''', p_type,
      berth.unescaped(split_part(v_rule, '/', 3)), v_rule, v_rule
      using errcode = 'invalid_parameter_value';
  end if;
  select n.lane, n.limits, n.weights, n.said_slots into lane, limits, weights, said_slots
    from berth.lane_of_type(p_type, v_said.keys, v_said.weights, v_said.slots) n;
end $$;

-- What the code of a worker says of its types: each entry of p_of has the limit p_keys. Written only where it differs.
create function berth.register_type_limits(
  p_types text[], p_of text[], p_keys text[], p_weights integer[], p_slots integer[]
) returns void language plpgsql as $$
begin
  insert into berth.type_limit as l (type, key, weight, slots)
  select r.type, r.key, r.weight, r.slots
    from unnest(p_of, p_keys, p_weights, p_slots) as r (type, key, weight, slots)
    left join berth.type_limit k on k.type = r.type and k.key = r.key
   where (k.weight, k.slots) is distinct from (r.weight, r.slots)
   order by r.type, r.key
  on conflict (type, key) do update set weight = excluded.weight, slots = excluded.slots;
  delete from berth.type_limit l
   where l.type = any (p_types)
     and not exists (select from unnest(p_of, p_keys) as r (type, key) where r.type = l.type and r.key = l.key);
end $$;

-- A person has said something of the limit of a type: all its tasks are under it from now on, also those that wait or run
-- and were submitted without it. Locks tasks, then groups, then limits, as everybody does.
create function berth.put_type_under(p_key text, p_slots integer) returns void language plpgsql as $$
declare
  v_type text := berth.unescaped(split_part(p_key, '/', 2));
  v_said integer;
  v_ids  uuid[];
begin
  if not berth.is_own(p_key) then
    return;
  end if;
  v_said := berth.said_of_own(p_key);

  -- Those that do not run. Who is locked is just being claimed: it is waited for, but never with a lock on a task that
  -- somebody may be waiting for in turn, so by looking again.
  for v_try in 1 .. 500 loop
    v_ids := array(
      select t.id from berth.task t
       where t.type = v_type and t.state <> 'running' and (t.limits is null or p_key <> all (t.limits))
         for update skip locked);
    perform berth.put_under(v_ids, p_key, p_slots);
    exit when not exists (
      select from berth.task t
       where t.type = v_type and t.state <> 'running' and (t.limits is null or p_key <> all (t.limits)));
    perform pg_sleep(0.002);
  end loop;

  -- Those that run. One that ends at this moment is let go.
  v_ids := array(
    select t.id from berth.task t
     where t.type = v_type and t.state = 'running' and (t.limits is null or p_key <> all (t.limits))
       for update skip locked);
  perform berth.put_under(v_ids, p_key, p_slots);
  perform berth.lock_groups(array[p_key]);  -- before its limit, also if none of them runs
  perform berth.charge_running(p_key, v_ids);

  perform berth.keep_said(p_key, v_said);
end $$;

-- The limit of a type, which all its tasks are under.
create function berth.is_own(p_key text) returns boolean language sql immutable as $$
  select split_part(p_key, '/', 1) = 'type' and split_part(p_key, '/', 3) = ''
$$;

-- The number that came with a task, before others get the key without one.
create function berth.said_of_own(p_key text) returns integer language sql stable as $$
  select n.slots
    from berth.task t cross join lateral unnest(t.limits, t.said_slots) as n (key, slots)
   where t.lane is not null and n.key = p_key limit 1
$$;

-- Nobody but a person has said a number if p_said is null: what is added to the tasks is none of their own.
create function berth.keep_said(p_key text, p_said integer) returns void language sql as $$
  insert into berth.task_limit as l (key, submit_slots, removed) values (p_key, p_said, p_said is null)
  on conflict (key) do update set submit_slots = excluded.submit_slots, removed = excluded.removed
    where l.submit_slots is null and l.code_slots is null and not l.removed
$$;

-- What put_type_under does to tasks that do not run, a part of them at a time: those among the next p_size tasks after this
-- one. Returns from where to go on, null at the end. With each call in a transaction of its own, and put_type_under after
-- them for what came meanwhile, hundreds of thousands of tasks can be claimed all the while. A limit without a number does
-- not limit: for tasks that are put under it nothing changes until it gets one.
create function berth.put_some_under(p_key text, p_slots integer, p_after uuid, p_size integer) returns uuid language plpgsql
  set enable_seqscan = off set jit = off as $$
declare
  v_type text := berth.unescaped(split_part(p_key, '/', 2));
  v_next record;
  v_ids  uuid[];
begin
  if not berth.is_own(p_key) then
    return null;
  end if;
  if p_after is null then
    perform berth.keep_said(p_key, berth.said_of_own(p_key));
    perform berth.settle_limit(p_key);
  end if;
  select array_agg(t.id) filter (where t.type = v_type) as ids, (array_agg(t.id order by t.id desc))[1] as last, count(*) as count
    into v_next
    from (select n.id, n.type from berth.task n
           where n.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') order by n.id limit p_size) t;
  v_ids := array(
    select t.id from berth.task t
     where t.id = any (v_next.ids) and t.state::text <> 'running' and (t.limits is null or p_key <> all (t.limits))
       for update skip locked);
  perform berth.put_under(v_ids, p_key, p_slots);
  return case when v_next.count = p_size then v_next.last end;
end $$;

-- These tasks, which are locked, are under one limit more. Each lane is made once.
create function berth.put_under(p_ids uuid[], p_key text, p_slots integer) returns void language sql as $$
  with said as materialized (
    select t.id, coalesce(t.limits, '{}') as limits, coalesce(t.weights, '{}') as weights,
           coalesce(t.said_slots, '{}') as said_slots
      from berth.task t where t.id = any (p_ids)
  ), made as materialized (
    select d.limits as of_limits, d.weights as of_weights, d.said_slots as of_slots, n.*
      from (select distinct s.limits, s.weights, s.said_slots from said s) d
     cross join lateral berth.lane_of(d.limits || p_key, d.weights || 1, d.said_slots || p_slots) n
  )
  update berth.task t
     set lane = m.lane, limits = m.limits, weights = m.weights, said_slots = m.said_slots
    from said s
    join made m on m.of_limits = s.limits and m.of_weights = s.weights and m.of_slots = s.said_slots
   where t.id between s.id and s.id
$$;

-- Running tasks that are under a limit they had no slots of take theirs, beyond its number where it is full. Where it does
-- not limit there is nothing to take yet; then they are adopted once it does.
create function berth.charge_running(p_key text, p_ids uuid[]) returns void language plpgsql as $$
declare
  v_count integer;
  v_group integer;
  v_slots integer;
begin
  p_ids := array(select t.id from berth.task t where t.id = any (p_ids) and not t.standby);
  if p_ids = '{}' then
    return;
  end if;
  perform berth.lock_groups(array[p_key]);
  select l.slots into v_slots from berth.task_limit l where l.key = p_key for update;
  -- They started when it did not count for them: an audit must not hold that against it.
  insert into berth.limit_change as c (key, at, slots)
  select p_key, min(t.started_at), null from berth.task t where t.id = any (p_ids)
  on conflict (key, at) do update set slots = null;
  insert into berth.limit_change (key, at, slots) values (p_key, berth.now(), v_slots) on conflict do nothing;
  if v_slots is null then
    return;
  end if;
  select coalesce(min(g.number), max(l.first_group)) into v_group
    from berth.task_limit l left join berth.slot_group g on g.key = l.key where l.key = p_key;
  with charged as (
    update berth.task t
       set held = array(select h from unnest(t.held) as h where h.key <> p_key)
                  || (p_key, v_group, t.weights[array_position(t.limits, p_key)])::berth.slots_held
     where t.id = any (p_ids)
    returning t.weights[array_position(t.limits, p_key)] as weight)
  select sum(weight) into v_count from charged;
  insert into berth.slot_group as g (key, number, capacity, used) values (p_key, v_group, v_count, v_count)
  on conflict (key, number) do update set capacity = g.capacity + v_count, used = g.used + v_count;
  perform berth.resize(p_key, v_slots);
end $$;

-- A limit may be set by hand or by code while an exchange is under way that still sees none: what starts there takes no
-- slots. The sweep finds it within a second. One limit at a time, for the order of locks; all running tasks are read once,
-- which is not cheap: so only soon after the change.
create function berth.charge_late() returns void language plpgsql
  set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_new  text[] := array(
    select l.key from berth.task_limit l
     where coalesce(l.override_slots, l.code_slots) is not null and l.changed_at > berth.now() - interval '10 seconds'
       and split_part(l.key, '/', 3) = '');
  v_late record;
begin
  if v_new = '{}' then
    return;
  end if;
  select l.key, l.first_group, array_agg(t.id) as ids into v_late
    from berth.task t
   cross join lateral unnest(t.limits) as k (key)
    join berth.task_limit l on l.key = k.key
   where t.session_id is not null and t.state = 'running' and not t.standby and t.lane is not null
     and k.key = any (v_new)
     and not exists (select from unnest(t.held) as h where h.key = k.key and h.number >= l.first_group)
   group by l.key order by l.key limit 1;
  if found then
    perform berth.charge_running(v_late.key, array(
      select t.id from berth.task t
       where t.id = any (v_late.ids) and t.state = 'running'
         and not exists (select from unnest(t.held) as h where h.key = v_late.key and h.number >= v_late.first_group)
         for update skip locked));
  end if;
end $$;
