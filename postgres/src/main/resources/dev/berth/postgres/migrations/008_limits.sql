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
-- LOCKS are taken in one order: groups by key and number, then limits by key. Giving back waits for them; taking skips
-- what is locked. Given back is first, taken later, so that nobody waits for a lock while holding one that is waited for.

-- A limit by its key, or the rule of many keys: type/mail/user carries the number of type/mail/user/7.
create table berth.task_limit (
  key            text    not null,
  slots          integer,                          -- the number in force; null: no limit
  override_slots integer,                          -- said by a person; wins over
  code_slots     integer,                          -- what a worker registered last, which wins over
  submit_slots   integer,                          -- what came with a task
  excess         integer not null default 0,
  paused         boolean not null default false,
  constraint task_limit_pkey primary key (key)
);

create table berth.slot_group (
  key      text    not null,
  number   integer not null,
  capacity integer not null,
  used     integer not null,
  constraint slot_group_pkey primary key (key, number),
  constraint slot_group_used check (used >= 0)
) with (fillfactor = 50);

-- Which session waits for a slot of which limit: whoever gives slots back leaves them to the others for once.
create table berth.slot_waiter (
  key        text        not null,
  session_id bigint      not null,
  seen_at    timestamptz not null,
  constraint slot_waiter_pkey primary key (key, session_id)
);

-- The key that carries the number of this one.
create function berth.rule_of(p_key text) returns text language sql immutable as $$
  select case when split_part(p_key, '/', 4) = '' then p_key
              else left(p_key, -1 - length(split_part(p_key, '/', 4))) end
$$;

-- The number for a key, and whether it is paused, by itself or by its rule. slots null: no limit.
create function berth.limit_of(p_key text, out slots integer, out paused boolean) language plpgsql stable as $$
declare
  v_own  berth.task_limit;
  v_rule berth.task_limit;
begin
  select * into v_own from berth.task_limit l where l.key = p_key;
  if split_part(p_key, '/', 4) <> '' then
    select * into v_rule from berth.task_limit l where l.key = berth.rule_of(p_key);
    slots := coalesce(v_own.override_slots, v_rule.slots);
    paused := coalesce(v_own.paused, false) or coalesce(v_rule.paused, false);
  else
    slots := v_own.slots;
    paused := coalesce(v_own.paused, false);
  end if;
end $$;

-- Changes the capacities of one key to this number, by draining where it is in use. Null removes them.
create function berth.resize(p_key text, p_slots integer) returns void language plpgsql as $$
declare
  v_excess integer;
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
  select l.excess into v_excess from berth.task_limit l where l.key = p_key for update;
  if p_slots is null then
    delete from berth.slot_group g where g.key = p_key;
    update berth.task_limit l set excess = 0 where l.key = p_key;
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
    for i in 1 .. 50 loop
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
  update berth.task_limit l set slots = v_new where l.key = p_key;
  -- The keys in use under a rule, each at most once with its own number.
  for v_key in select distinct g.key from berth.slot_group g where g.key like p_key || '/%' order by 1 loop
    perform berth.resize(v_key, l.slots) from berth.limit_of(v_key) l;
  end loop;
end $$;

-- A limit comes into being with its first task, in the claim and not in the submitter's transaction.
create function berth.make_limit(p_key text, p_slots integer) returns void language plpgsql as $$
begin
  insert into berth.task_limit (key, submit_slots) values (berth.rule_of(p_key), p_slots) on conflict do nothing;
  if found then
    perform berth.settle_limit(berth.rule_of(p_key));
  end if;
end $$;

create function berth.set_limit(p_key text, p_slots integer) returns text language plpgsql as $$
begin
  if p_slots < 0 or p_slots > 1000000 then
    raise exception 'The limit % cannot have % slots: use 0 (blocks) to 1000000', p_key, p_slots
      using errcode = 'invalid_parameter_value';
  end if;
  insert into berth.task_limit as l (key, override_slots) values (p_key, p_slots)
  on conflict (key) do update set override_slots = excluded.override_slots
    where l.override_slots is distinct from excluded.override_slots;
  if not found then
    return 'unchanged';
  end if;
  perform berth.change_limit(p_key);
  return 'done';
end $$;

create function berth.reset_limit(p_key text) returns text language plpgsql as $$
begin
  update berth.task_limit l set override_slots = null where l.key = p_key and l.override_slots is not null;
  if not found then
    return 'unchanged';
  end if;
  perform berth.change_limit(p_key);
  return 'done';
end $$;

-- After a change by hand: one of many keys has no number in force of its own, only its group.
create function berth.change_limit(p_key text) returns void language plpgsql as $$
begin
  if split_part(p_key, '/', 4) <> '' then
    perform berth.resize(p_key, l.slots) from berth.limit_of(p_key) l;
  else
    perform berth.settle_limit(p_key);
  end if;
  perform berth.wake_ready(q.queue, -1, 'epoch') from (select distinct unnest(s.queues) as queue from berth.session s) q;
end $$;

create function berth.pause_limit(p_key text) returns text language plpgsql as $$
begin
  insert into berth.task_limit as l (key, paused) values (p_key, true)
  on conflict (key) do update set paused = true where not l.paused;
  return case when found then 'done' else 'unchanged' end;
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

-- What a worker's code says of the limits of its types; a type that had one and has none now loses it.
create function berth.register_limits(p_types text[], p_keys text[], p_slots integer[]) returns void language plpgsql as $$
declare
  v_key text;
begin
  insert into berth.task_limit as l (key, code_slots)
  select k.key, k.slots from unnest(p_keys, p_slots) as k (key, slots)
    left join berth.task_limit known on known.key = k.key
   where known.code_slots is distinct from k.slots
   order by k.key
  on conflict (key) do update set code_slots = excluded.code_slots;
  update berth.task_limit l set code_slots = null, submit_slots = null
    from unnest(p_types) as t (key)
   where (l.key = t.key or l.key like t.key || '/%') and l.key <> all (p_keys)
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

-- How many tasks of a lane could start now, by a look without locks; at most p_most. Names the limit in the way.
create function berth.room_for(
  p_keys text[], p_weights integer[], p_slots integer[], p_most integer, p_left text[], out room integer, out blocker text
) language plpgsql as $$
declare
  v_limit record;
  v_free  bigint;
begin
  room := p_most;
  for i in 1 .. cardinality(p_keys) loop
    if p_keys[i] = any (p_left) then
      room := 0;
      blocker := p_keys[i];
      return;
    end if;
    if not exists (select from berth.task_limit l where l.key = berth.rule_of(p_keys[i])) then
      perform berth.make_limit(p_keys[i], p_slots[i]);
    end if;
    select * into v_limit from berth.limit_of(p_keys[i]);
    continue when v_limit.slots is null and not v_limit.paused;
    if v_limit.paused or v_limit.slots < p_weights[i] then
      v_free := 0;
    else
      select sum(greatest(0, g.capacity - g.used)), count(*) into v_free from berth.slot_group g where g.key = p_keys[i];
      if v_free is null then  -- one of many keys that nobody uses
        v_free := v_limit.slots;
      end if;
    end if;
    if v_free / p_weights[i] < room then
      room := v_free / p_weights[i];
      blocker := p_keys[i];
    end if;
    exit when room = 0;
  end loop;
end $$;

-- Takes slots for up to p_most tasks of a lane, all or nothing for each of them. One entry per task that may start:
-- what it holds. Skips groups that others have locked, so it may find fewer than there are.
create function berth.take_slots(
  p_keys text[], p_weights integer[], p_most integer, out held text[]
) language plpgsql as $$
declare
  v_can     integer := p_most;
  v_limit   record;
  v_keys    text[] := '{}';     -- the limits that are in force
  v_weights integer[] := '{}';
  v_key     text[] := '{}';     -- their groups with room, locked: the key,
  v_number  integer[] := '{}';  --   the number,
  v_free    integer[] := '{}';  --   how many slots are free,
  v_taken   integer[] := '{}';  --   how many we take
  v_start   integer[] := '{}';  -- where the groups of each limit begin
  v_groups  record;
  v_need    integer;
  v_part    berth.slots_held[];
  v_at      integer;
begin
  held := '{}';
  for i in 1 .. cardinality(p_keys) loop
    select * into v_limit from berth.limit_of(p_keys[i]);
    continue when v_limit.slots is null;
    if split_part(p_keys[i], '/', 4) <> '' then
      insert into berth.slot_group (key, number, capacity, used) values (p_keys[i], 1, v_limit.slots, 0)
      on conflict do nothing;
    end if;
    select array_agg(l.number) as numbers, array_agg(l.free) as frees, sum(l.free) as total into v_groups
      from (select g.number, g.capacity - g.used as free
              from berth.slot_group g
             where g.key = p_keys[i] and g.used < g.capacity
             order by (g.number + pg_backend_pid()) % 50
             limit v_can * p_weights[i]
               for update skip locked) l;
    v_can := least(v_can, coalesce(v_groups.total, 0) / p_weights[i]);
    if v_can = 0 then
      return;
    end if;
    v_keys := v_keys || p_keys[i];
    v_weights := v_weights || p_weights[i];
    v_start := v_start || (cardinality(v_key) + 1);
    v_key := v_key || array_fill(p_keys[i], array[cardinality(v_groups.numbers)]);
    v_number := v_number || v_groups.numbers;
    v_free := v_free || v_groups.frees;
  end loop;

  v_taken := array_fill(0, array[cardinality(v_key)]);
  for task in 1 .. v_can loop
    v_part := '{}';
    for i in 1 .. cardinality(v_keys) loop
      v_need := v_weights[i];
      while v_need > 0 loop
        v_at := v_start[i];
        while v_taken[v_at] = v_free[v_at] loop
          v_at := v_at + 1;
        end loop;
        v_start[i] := v_at;
        v_part := v_part || (v_key[v_at], v_number[v_at], least(v_need, v_free[v_at] - v_taken[v_at]))::berth.slots_held;
        v_taken[v_at] := v_taken[v_at] + v_part[cardinality(v_part)].count;
        v_need := v_need - v_part[cardinality(v_part)].count;
      end loop;
    end loop;
    held := held || v_part::text;
  end loop;

  update berth.slot_group g set used = g.used + t.taken
    from unnest(v_key, v_number, v_taken) as t (key, number, taken)
   where g.key = t.key and g.number = t.number and t.taken > 0;
end $$;

-- Gives slots back, of any number of tasks. Returns the limits they were of.
create function berth.give_back(p_held berth.slots_held[]) returns text[] language plpgsql as $$
declare
  v_keys   text[];
  v_key    text;
  v_excess integer;
  v_group  record;
begin
  perform from berth.slot_group g
    join (select distinct h.key, h.number from unnest(p_held) as h) h on h.key = g.key and h.number = g.number
    order by g.key, g.number for update of g;
  update berth.slot_group g set used = g.used - h.count
    from (select u.key, u.number, sum(u.count)::integer as count from unnest(p_held) as u group by u.key, u.number) h
   where g.key = h.key and g.number = h.number;
  delete from berth.slot_group g using unnest(p_held) as h
   where g.key = h.key and g.number = h.number and g.used = 0 and split_part(g.key, '/', 4) <> '';
  v_keys := array(select distinct h.key from unnest(p_held) as h order by 1);

  -- A limit that drains: what comes back pays off the excess before it is free.
  for v_key, v_excess in
    select l.key, l.excess from berth.task_limit l
     where l.key = any (v_keys) and l.excess > 0 order by l.key for update
  loop
    for v_group in
      select g.number, g.capacity - g.used as room from berth.slot_group g
       where g.key = v_key and g.used < g.capacity and g.number in (select h.number from unnest(p_held) as h where h.key = v_key)
       order by g.number
    loop
      exit when v_excess = 0;
      update berth.slot_group g set capacity = g.capacity - least(v_group.room, v_excess)
       where g.key = v_key and g.number = v_group.number;
      v_excess := v_excess - least(v_group.room, v_excess);
    end loop;
    update berth.task_limit l set excess = v_excess where l.key = v_key;
    delete from berth.slot_group g where g.key = v_key and g.capacity = 0 and g.used = 0;
  end loop;
  return v_keys;
end $$;
