-- Doctor: proves that the counters of limits are what they should be, and counts anew where they are not.

-- Counters that differ from what they should be:
--   USED      a slot group counts other than what running tasks hold
--   CAPACITY  the groups of a limit have other than its slots, and what it has too many while it drains
--   UNUSED    groups of a key that nobody uses, or of a limit that is no more
-- One statement, one snapshot: tasks and groups change in the same transactions, so it is right while workers run.
create function berth.drift(p_key text default null)
returns table (key text, counter text, number integer, counted bigint, actual bigint) language sql stable
  set enable_seqscan = off set jit = off as $$
  with held as (
    select h.key, h.number, sum(h.count) as count
      from berth.slot_holder h where p_key is null or h.key = p_key group by h.key, h.number
  ), slot as (
    select g.key, g.number, g.capacity, g.used from berth.slot_group g where p_key is null or g.key = p_key
  ), limits as (
    -- The number in force, and how many slots the groups should have.
    select k.key, k.keyed, n.slots, case when k.keyed then n.slots else n.slots + own.excess end as capacity
      from (select i.key, split_part(i.key, '/', 4) <> '' as keyed
              from (select s.key from slot s
                    union select h.key from held h
                    union select l.key from berth.task_limit l
                     where split_part(l.key, '/', 3) = '' and (p_key is null or l.key = p_key)) i) k
      left join berth.task_limit own on own.key = k.key
      left join berth.task_limit rule on rule.key = berth.rule_of(k.key)
     cross join lateral (
       select case when k.keyed then coalesce(own.override_slots, rule.slots) else own.slots end as slots) n
  )
  select coalesce(s.key, h.key), 'USED', coalesce(s.number, h.number), coalesce(s.used, 0)::bigint, coalesce(h.count, 0)
    from slot s full join held h on h.key = s.key and h.number = s.number
    join limits l on l.key = coalesce(s.key, h.key)
   where coalesce(s.used, 0) <> coalesce(h.count, 0)
     and (s.key is not null or l.slots is not null)  -- a limit that is no more has no groups
  union all
  select l.key, 'CAPACITY', 0, coalesce(sum(s.capacity), 0), l.capacity
    from limits l left join slot s on s.key = l.key
   where l.slots is not null
   group by l.key, l.keyed, l.capacity
  having coalesce(sum(s.capacity), 0) <> l.capacity and (not l.keyed or count(s.key) > 0)
  union all
  select l.key, 'UNUSED', 0, count(*), 0
    from limits l join slot s on s.key = l.key
   where l.slots is null and not l.keyed or l.keyed and s.used = 0
     and not exists (select from held h where h.key = s.key)
   group by l.key
$$;

-- A gauge for any tool that speaks SQL: it must have no rows.
create view berth.slot_drift as select * from berth.drift();

-- Counts the slots of one limit anew. Whoever takes or gives back slots has their group locked until it commits, so with
-- all groups locked the running tasks hold still: those that were ending wait, and then subtract from what is written here.
create function berth.recount_limit(p_key text) returns text language plpgsql as $$
declare
  v_slots integer;
  v_used  bigint;
begin
  perform from berth.slot_group g where g.key = p_key order by g.number for update;
  perform from berth.task_limit l where l.key = p_key for update;
  if not exists (select from berth.drift(p_key)) then
    return 'unchanged';
  end if;

  select l.slots into v_slots from berth.limit_of(p_key) l;
  if v_slots is null and split_part(p_key, '/', 4) = '' then
    delete from berth.slot_group g where g.key = p_key;
    return 'done';
  end if;
  insert into berth.slot_group (key, number, capacity, used)
  select distinct h.key, h.number, 0, 0 from berth.slot_holder h where h.key = p_key
  on conflict do nothing;
  update berth.slot_group g
     set used = coalesce((select sum(h.count) from berth.slot_holder h where h.key = g.key and h.number = g.number), 0)
   where g.key = p_key;

  -- Nothing is free but what resize adds: it makes the groups add up to the number in force.
  update berth.slot_group g set capacity = g.used where g.key = p_key;
  delete from berth.slot_group g where g.key = p_key and g.used = 0;
  select coalesce(sum(g.used), 0) into v_used from berth.slot_group g where g.key = p_key;
  update berth.task_limit l set excess = greatest(0, v_used - v_slots)
   where l.key = p_key and split_part(p_key, '/', 4) = '';
  perform berth.resize(p_key, v_slots);
  perform berth.wake_ready(q, -1, 'epoch') from berth.limited_queues() as q;
  return 'done';
end $$;
