-- Limits: at most N tasks at once, in this database, at every instant.
--
-- A limit's slots are spread over slot groups, so that claimers which come at the same time lock different rows. The
-- count in a group changes only in the transaction that changes the task which names the group: used is what running
-- tasks hold, and nothing can leak.
--
-- A LOWERED LIMIT DRAINS. Capacity that nobody uses goes at once; what is in use beyond the new number is the limit's
-- excess. Always: the capacities of a limit add up to slots + excess; and while there is excess, no group has room.
-- So a claim looks at groups only, and a slot that is given back pays off the excess before it is free again.
--
-- LOCKS are taken in one order: groups by key and number, then limits by key.

-- A limit by its key, or the rule of many keys: type/mail/user carries the number of type/mail/user/7.
create table berth.task_limit (
  key            text    not null,
  slots          integer,                          -- the number in force; null: no limit
  override_slots integer,                          -- said by a person; wins over
  override_until timestamptz,                      --   until when; null: until it is reset
  code_slots     integer,                          -- what a worker registered last, which wins over
  in_file        boolean not null default false,   --   (whether it stood in its file, not in its code)
  submit_slots   integer,                          -- what came with a task,
  removed        boolean not null default false,   --   which counts no more once code has taken the limit away, and not
                                                   --   where a person put the type under it
  excess         integer not null default 0,
  paused         boolean not null default false,
  pace           interval,                         -- the least time between two starts, by code, else by the first submit
  next_start_at  timestamptz,                      -- when the next may be, if paced
  reserved_for   text,                             -- the line of a heavy task that waits, or a hold,
  reserved_from  timestamptz,                      --   from when on free slots are left to it
  reserved_until timestamptz,                      --   for as long as somebody asks for it
  first_group    integer not null default 1,       -- the lowest number of its groups: higher after each time without a limit
  changed_at     timestamptz not null default '-infinity',  -- when the number in force changed last
  constraint task_limit_pkey primary key (key)
);

-- Those that drain: few, and mostly none.
create index task_limit_draining on berth.task_limit (key) where excess > 0;

-- Whether any key has a row besides that of its rule.
create index task_limit_own on berth.task_limit (key) where split_part(key, '/', 4) <> '';

create table berth.slot_group (
  key      text    not null,
  number   integer not null,
  capacity integer not null,
  used     integer not null,
  constraint slot_group_pkey primary key (key, number),
  constraint slot_group_used check (used >= 0)
) with (fillfactor = 50);

-- Which session waits for a slot of which limit: whoever gives slots back leaves them to the others for once. Rows are
-- only ever locked with SKIP LOCKED, and a session alone makes its own, so that nobody waits for anybody here.
create table berth.slot_waiter (
  key        text        not null,
  session_id bigint      not null,
  seen_at    timestamptz not null,                        -- when it asked in vain
  served_at  timestamptz not null default '-infinity',    -- when slots were left to it
  constraint slot_waiter_pkey primary key (key, session_id)
) with (fillfactor = 50);

-- Slots held without a task; they come back when they are released or the session ends.
create table berth.hold (
  session_id bigint             not null,
  number     bigint             not null,  -- of the hold within the session, chosen by the client: a repeat finds its row
  token      bigint             not null,
  key        text               not null,
  weight     integer            not null,
  held       berth.slots_held[] not null,  -- none while the limit does not limit
  constraint hold_pkey primary key (session_id, number)
);

-- The key that carries the number of this one.
create function berth.rule_of(p_key text) returns text language sql immutable as $$
  select case when split_part(p_key, '/', 4) = '' then p_key
              else left(p_key, -1 - length(split_part(p_key, '/', 4))) end
$$;

-- The number for a key, and whether it is paused, by itself or by its rule. slots null: no limit.
create function berth.limit_of(
  p_key text, out slots integer, out paused boolean, out stopped boolean, out pace interval, out next_start_at timestamptz
) language plpgsql stable as $$
declare
  v_own  berth.task_limit;
  v_rule berth.task_limit;
begin
  select * into v_own from berth.task_limit l where l.key = p_key;
  if split_part(p_key, '/', 4) <> '' then
    select * into v_rule from berth.task_limit l where l.key = berth.rule_of(p_key);
    slots := coalesce(v_own.override_slots, v_rule.slots);
    paused := coalesce(v_own.paused, false) or coalesce(v_rule.paused, false);
    pace := v_rule.pace;
    next_start_at := v_rule.next_start_at;
  else
    slots := v_own.slots;
    paused := coalesce(v_own.paused, false);
    pace := v_own.pace;
    next_start_at := v_own.next_start_at;
  end if;
  stopped := paused or slots = 0;
end $$;

-- Tasks may run, and holds be there, that no slot was taken for, since there was no such limit when they started. They
-- get theirs, all in one group. Returns by how many they exceed the limit. Who is locked is waited for a moment: it may be
-- a heartbeat. One that is still locked then is just ending, by somebody who may wait for one of the others: it is let go.
-- What it still names of the limit is nothing to it, since groups that are made anew have new numbers.
create function berth.adopt(p_key text, p_slots integer) returns integer language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_group integer := coalesce((select l.first_group from berth.task_limit l where l.key = p_key), 1);
  v_ids   uuid[];
  v_task  record;
  v_used  integer := 0;
begin
  if p_slots is null then
    return 0;
  end if;
  for v_try in 1 .. 50 loop
    v_ids := array(
      select t.id from berth.task t
       where t.session_id is not null and t.state = 'running' and not t.standby and t.lane is not null
         and p_key = any (t.limits)
         and not exists (select from unnest(t.held) as h where h.key = p_key and h.number >= v_group));
    exit when v_ids = '{}';
    for v_task in
      select t.id, t.held, t.weights[array_position(t.limits, p_key)] as weight
        from berth.task t where t.id = any (v_ids) and t.session_id is not null and t.state::text = 'running'
         for update skip locked
    loop
      update berth.task t
         set held = array(select h from unnest(v_task.held) as h where h.key <> p_key)
                    || (p_key, v_group, v_task.weight)::berth.slots_held
       where t.id = v_task.id;
      v_used := v_used + v_task.weight;
      v_ids := array_remove(v_ids, v_task.id);
    end loop;
    exit when v_ids = '{}';
    perform pg_sleep(0.002);
  end loop;
  for v_task in select h.session_id, h.number, h.weight from berth.hold h where h.key = p_key for update skip locked loop
    update berth.hold h set held = array[(p_key, v_group, h.weight)::berth.slots_held]
     where h.session_id = v_task.session_id and h.number = v_task.number;
    v_used := v_used + v_task.weight;
  end loop;
  if v_used > 0 then
    insert into berth.slot_group (key, number, capacity, used) values (p_key, v_group, v_used, v_used);
    update berth.task_limit l set excess = v_used - p_slots where l.key = p_key and v_used > p_slots;
  end if;
  return greatest(0, v_used - p_slots);
end $$;

-- Who changes limits locks their groups first, for who gives slots back has groups and comes for the limits that drain.
create function berth.lock_groups(p_keys text[]) returns void language plpgsql as $$
begin
  perform from berth.slot_group g where g.key = any (p_keys) order by g.key, g.number for update;
end $$;

-- Changes the capacities of one key to this number, by draining where it is in use. Null removes them.
create function berth.resize(p_key text, p_slots integer) returns void language plpgsql as $$
declare
  v_excess integer;
  v_first  integer;
  v_total  integer;
  v_each   integer;
  v_group  record;
begin
  perform from berth.slot_group g where g.key = p_key order by g.number for update;
  if split_part(p_key, '/', 4) <> '' then
    -- One of many keys has one group, which may be over its capacity: then it has no room, and that is all.
    update berth.slot_group g set capacity = coalesce(p_slots, 2147483647) where g.key = p_key;
    return;
  end if;
  select l.excess, l.first_group into v_excess, v_first from berth.task_limit l where l.key = p_key for update;
  if not exists (select from berth.slot_group g where g.key = p_key) and coalesce(v_excess, 0) = 0 then
    v_excess := berth.adopt(p_key, p_slots);
  end if;
  if p_slots is null then
    delete from berth.slot_group g where g.key = p_key;
    update berth.task_limit l set excess = 0, first_group = l.first_group + 50 where l.key = p_key;
    return;
  end if;
  select coalesce(sum(g.capacity), 0) into v_total from berth.slot_group g where g.key = p_key;
  v_total := v_total - coalesce(v_excess, 0);  -- what was in force so far

  if p_slots > v_total then
    -- First forgive the excess, then add what is missing in groups of the finest split.
    v_total := p_slots - v_total;
    update berth.task_limit l set excess = greatest(0, v_excess - v_total) where l.key = p_key;
    v_total := v_total - least(v_excess, v_total);
    v_each := (p_slots + 49) / 50;
    for i in v_first .. v_first + 49 loop
      exit when v_total <= 0;
      insert into berth.slot_group as g (key, number, capacity, used) values (p_key, i, least(v_each, v_total), 0)
      on conflict (key, number) do nothing;
      if found then
        v_total := v_total - least(v_each, v_total);
      end if;
    end loop;
    -- Groups that were shrunk or split otherwise grow again.
    for v_group in select g.number, g.capacity from berth.slot_group g where g.key = p_key order by g.number loop
      exit when v_total <= 0;
      if v_group.capacity < v_each then
        update berth.slot_group g set capacity = g.capacity + least(v_each - v_group.capacity, v_total)
         where g.key = p_key and g.number = v_group.number;
        v_total := v_total - least(v_each - v_group.capacity, v_total);
      end if;
    end loop;
    if v_total > 0 then
      update berth.slot_group g set capacity = g.capacity + v_total
       where g.key = p_key and g.number = (select min(m.number) from berth.slot_group m where m.key = p_key);
    end if;
  elsif p_slots < v_total then
    v_total := v_total - p_slots;
    for v_group in
      select g.number, g.capacity - g.used as room from berth.slot_group g
       where g.key = p_key and g.used < g.capacity order by g.number desc
    loop
      exit when v_total = 0;
      update berth.slot_group g set capacity = g.capacity - least(v_group.room, v_total)
       where g.key = p_key and g.number = v_group.number;
      v_total := v_total - least(v_group.room, v_total);
    end loop;
    update berth.task_limit l set excess = l.excess + v_total where l.key = p_key;
    delete from berth.slot_group g where g.key = p_key and g.capacity = 0;
  end if;
end $$;

-- Puts the number in force that wins: override, then code, then submit.
create function berth.settle_limit(p_key text) returns void language plpgsql as $$
declare
  v_new integer;
  v_old integer;
  v_key text;
begin
  select coalesce(l.override_slots, l.code_slots, l.submit_slots), l.slots into v_new, v_old
    from berth.task_limit l where l.key = p_key;
  if v_new is not distinct from v_old then
    return;
  end if;
  perform berth.resize(p_key, v_new);
  update berth.task_limit l set slots = v_new, changed_at = berth.now() where l.key = p_key;
  -- The keys in use under a rule, each at most once with its own number.
  for v_key in select distinct g.key from berth.slot_group g where starts_with(g.key, p_key || '/') order by 1 loop
    perform berth.resize(v_key, l.slots) from berth.limit_of(v_key) l;
  end loop;
end $$;

-- Where a lane begins: its type and limits.
create type berth.lane_head as (
  type text, lane text, limits text[], weights integer[], said_slots integer[],
  position timestamptz,  -- where the first one stands
  single tid             -- the only task that was seen in the lane, which is locked; null: there may be more
);

-- A limit comes into being with its first task, in the claim and not in the submitter's transaction.
create function berth.make_limits(p_lanes berth.lane_head[]) returns void language plpgsql as $$
declare
  v_limit record;
begin
  for v_limit in
    select distinct on (k.rule) k.rule, k.slots
      from unnest(p_lanes) as l
     cross join lateral (select berth.rule_of(n.key), n.slots from unnest(l.limits, l.said_slots) as n (key, slots)) k (rule, slots)
     where (select m.submit_slots is not null or m.removed from berth.task_limit m where m.key = k.rule) is not true
     order by k.rule
  loop
    if starts_with(v_limit.rule, 'topic/') then  -- its number and pace are not the submitter's
      perform berth.make_topic_limit(v_limit.rule);
      continue;
    end if;
    insert into berth.task_limit as l (key, submit_slots) values (v_limit.rule, v_limit.slots)
    on conflict (key) do update set submit_slots = excluded.submit_slots where l.submit_slots is null and not l.removed;
    if found then
      perform berth.settle_limit(v_limit.rule);
    end if;
  end loop;
end $$;

-- p_for: after which time the code counts again; null: once it is reset.
create function berth.set_limit(p_key text, p_slots integer, p_for interval default null) returns text language plpgsql as $$
begin
  if p_slots < 0 or p_slots > 1000000 then
    raise exception 'The limit % cannot have % slots: use 0 (blocks) to 1000000', p_key, p_slots
      using errcode = 'invalid_parameter_value';
  end if;
  if p_for is null and exists (select from berth.task_limit l
                                where l.key = p_key and l.override_slots = p_slots and l.override_until is null) then
    return 'unchanged';
  end if;
  perform berth.put_type_under(p_key, p_slots);
  perform berth.lock_groups(array[p_key]);
  insert into berth.task_limit as l (key, override_slots, override_until) values (p_key, p_slots, berth.now() + p_for)
  on conflict (key) do update set override_slots = excluded.override_slots, override_until = excluded.override_until;
  perform berth.change_limit(p_key);
  return 'done';
end $$;

create function berth.reset_limit(p_key text) returns text language plpgsql as $$
begin
  perform berth.lock_groups(array[p_key]);
  update berth.task_limit l
     set override_slots = null, override_until = null,
         -- Nobody has claimed under it yet: a waiting task may know its number.
         submit_slots = case when l.submit_slots is null and l.code_slots is null and not l.removed then (
           select n.slots from berth.task t, unnest(t.limits, t.said_slots) as n (key, slots)
            where t.lane is not null and n.key = p_key limit 1) else l.submit_slots end
   where l.key = p_key and l.override_slots is not null;
  if not found then
    return 'unchanged';
  end if;
  perform berth.change_limit(p_key);
  return 'done';
end $$;

-- Takes back what was set by hand until now.
create function berth.expire_overrides() returns void language plpgsql as $$
begin
  perform berth.reset_limit(l.key) from berth.task_limit l where l.override_until <= berth.now() order by l.key;
end $$;

-- The queues in which limited work is ready.
create function berth.limited_queues() returns setof text language sql stable set jit = off set enable_seqscan = off as $$
  with recursive q as (
    (select t.queue from berth.task t where t.state = 'ready' and t.lane is not null order by t.queue limit 1)
    union all
    select (select t.queue from berth.task t where t.state = 'ready' and t.lane is not null and t.queue > q.queue
             order by t.queue limit 1)
      from q where q.queue is not null
  )
  select q.queue from q where q.queue is not null
$$;

-- After a change by hand: one of many keys has no number in force of its own, only its group.
create function berth.change_limit(p_key text) returns void language plpgsql as $$
begin
  if split_part(p_key, '/', 4) <> '' then
    perform berth.resize(p_key, l.slots) from berth.limit_of(p_key) l;
    update berth.task_limit l set changed_at = berth.now() where l.key = p_key;
  else
    perform berth.settle_limit(p_key);
  end if;
  perform berth.wake_ready(q, -1, 'epoch') from berth.limited_queues() as q;
  perform berth.wake_waiting(array[p_key]);
end $$;

create function berth.pause_limit(p_key text) returns text language plpgsql as $$
begin
  if exists (select from berth.task_limit l where l.key = p_key and l.paused) then
    return 'unchanged';
  end if;
  perform berth.put_type_under(p_key, 1000000);
  insert into berth.task_limit as l (key, paused) values (p_key, true)
  on conflict (key) do update set paused = true;
  return 'done';
end $$;

create function berth.resume_limit(p_key text) returns text language plpgsql as $$
begin
  update berth.task_limit l set paused = false where l.key = p_key and l.paused;
  if not found then
    return 'unchanged';
  end if;
  perform berth.change_limit(p_key);
  return 'done';
end $$;

-- What a worker's code says of the limits of its types; a type that had one and has none now loses it. Returns where that
-- is not what was there: what is said now, what other code had said, and what a person has set, which counts before it.
create function berth.register_limits(
  p_types text[], p_keys text[], p_slots integer[],
  p_paces bigint[],     -- microseconds
  p_in_file boolean[]   -- whether the number stands in a file
) returns table (key text, slots integer, before integer, by_hand integer) language plpgsql as $$
#variable_conflict use_column
declare
  v_key text;
begin
  return query
    select l.key, k.slots, nullif(l.code_slots, k.slots), case when k.slots is not null or l.code_slots is not null then l.override_slots end
      from berth.task_limit l
      left join unnest(p_keys, p_slots) as k (key, slots) on k.key = l.key
     where (k.key is not null
            or exists (select from unnest(p_types) as t (key) where l.key = t.key or starts_with(l.key, t.key || '/')))
       and (l.code_slots <> k.slots or l.code_slots is not null and k.slots is null
            or l.override_slots is not null and k.slots is not null)
     order by l.key;
  perform berth.lock_groups(array(
    select l.key from berth.task_limit l
      left join unnest(p_keys, p_slots) as k (key, slots) on k.key = l.key
     where l.code_slots is distinct from k.slots
       and (k.key is not null
            or exists (select from unnest(p_types) as t (key) where l.key = t.key or starts_with(l.key, t.key || '/')))));
  insert into berth.task_limit as l (key, code_slots, in_file, pace)
  select k.key, k.slots, k.in_file, k.pace * interval '1 microsecond'
    from unnest(p_keys, p_slots, p_in_file, p_paces) as k (key, slots, in_file, pace)
    left join berth.task_limit known on known.key = k.key
   where (known.code_slots, known.in_file, known.pace)
         is distinct from (k.slots, k.in_file, k.pace * interval '1 microsecond')
   order by k.key
  on conflict (key) do update
    set code_slots = excluded.code_slots, in_file = excluded.in_file, pace = excluded.pace, removed = false;
  update berth.task_limit l set code_slots = null, submit_slots = null, removed = true
    from unnest(p_types) as t (key)
   where (l.key = t.key or starts_with(l.key, t.key || '/')) and l.key <> all (p_keys)
     and (l.code_slots is not null or l.submit_slots is not null);
  for v_key in
    select l.key from berth.task_limit l
     where l.slots is distinct from coalesce(l.override_slots, l.code_slots, l.submit_slots)
       and split_part(l.key, '/', 4) = ''
     order by l.key
  loop
    perform berth.settle_limit(v_key);
  end loop;
end $$;

-- A submit named limits with a pace. It counts where nobody has said one, and no code knows the limit.
create function berth.name_paces(p_keys text[], p_paces bigint[]) returns void language sql as $$
  insert into berth.task_limit as l (key, pace)
  select k.key, k.pace * interval '1 microsecond'
    from unnest(p_keys, p_paces) as k (key, pace)
    left join berth.task_limit known on known.key = k.key
   where known.pace is null and known.code_slots is null
   order by k.key
  on conflict (key) do update set pace = excluded.pace where l.pace is null and l.code_slots is null
$$;

-- HEAVY TASKS, which need several slots of a limit at once, would wait for ever while others take each slot that comes back.
-- So the first that asks in vain is noted, and a second later free slots are left to it until it has started: nobody else
-- starts under the limit. One limit is reserved for one line at a time, a lane of a queue, priority and type; for as long as
-- somebody asks and a task is ready there. A line that has a reservation does not wait for those of others, or two could
-- wait for each other.

create function berth.line_of(p_queue text, p_priority smallint, p_type text, p_lane text) returns text language sql immutable as $$
  select concat_ws(E'\n', p_queue, p_priority, p_type, p_lane)
$$;

-- Whether a task waits there; a hold waits for as long as it asks.
create function berth.is_wanted(p_line text) returns boolean language plpgsql stable as $$
declare
  v_line text[] := string_to_array(p_line, E'\n');
begin
  return cardinality(v_line) = 1 or exists (
    select from berth.task t
     where t.queue = v_line[1] and t.priority = v_line[2]::smallint and t.type = v_line[3] and t.lane = v_line[4]
       and t.state = 'ready' and t.lane is not null);
end $$;

-- p_for, which is under these limits, asked in vain for slots of the one at p_at. It does not reserve them while it would
-- have to wait for another limit all the same. A row that is locked is not waited for: it asks again.
create function berth.reserve(
  p_keys text[], p_weights integer[], p_at integer, p_for text, p_now timestamptz
) returns void language plpgsql as $$
declare
  v_key    text := p_keys[p_at];
  v_weight integer := p_weights[p_at];
begin
  if v_weight = 1 or exists (select from unnest(p_keys, p_weights) as k (key, weight)
                              where k.weight = 1 and berth.is_full(k.key)) then
    return;
  end if;
  perform from berth.task_limit l
    where l.key = v_key and l.slots >= v_weight and not l.paused
      and (l.reserved_for is null or l.reserved_until <= p_now
           or l.reserved_for = p_for and l.reserved_until < p_now + interval '2.5 seconds')
      for update skip locked;
  if found then
    update berth.task_limit l
       set reserved_for = p_for, reserved_until = p_now + interval '3 seconds',
           reserved_from = case when l.reserved_until > p_now then l.reserved_from else p_now + interval '1 second' end
     where l.key = v_key;
  end if;
end $$;

-- It has started.
create function berth.end_reservation(p_keys text[], p_for text) returns void language plpgsql as $$
declare
  v_keys text[] := array(select l.key from berth.task_limit l
                          where l.key = any (p_keys) and l.reserved_for = p_for for update skip locked);
begin
  if v_keys <> '{}' then
    update berth.task_limit l set reserved_for = null, reserved_from = null, reserved_until = null where l.key = any (v_keys);
  end if;
end $$;

-- Whether these limits are left to another.
create function berth.is_reserved(p_keys text[], p_for text, p_now timestamptz) returns boolean language sql stable as $$
  select coalesce(bool_and(l.reserved_for <> p_for), false)
    from berth.task_limit l
   where l.key = any (p_keys) and p_now between l.reserved_from and l.reserved_until and berth.is_wanted(l.reserved_for)
$$;

-- How many tasks may start of each of these lanes, if so many could.
create function berth.leave_to_heavy(
  p_queue text, p_priority smallint, p_lanes berth.lane_head[], p_can integer[], p_now timestamptz
) returns integer[] language sql stable as $$
  select array_agg(case when berth.is_reserved(h.limits, berth.line_of(p_queue, p_priority, h.type, h.lane), p_now) then 0
                        else p_can[h.number] end order by h.number)
    from unnest(p_lanes) with ordinality as h (type, lane, limits, weights, said_slots, position, single, number)
$$;
