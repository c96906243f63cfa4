-- Counters that differ from what they should be:
--   USED      a slot group counts other than what running tasks hold
--   CAPACITY  the groups of a limit have other than its slots, and what it has too many while it drains
--   UNUSED    groups of a key that nobody uses, or of a limit that is no more
-- One statement, one snapshot: tasks and groups change in the same transactions, so it is right while workers run.
create function berth_private.find_drift(p_key text default null)
returns table (key text, counter text, number integer, counted bigint, actual bigint) language sql stable
  set enable_seqscan = off set jit = off as $$
  with held as (
    select h.key, h.number, sum(h.count) as count
      from berth_private.slot_holder h where p_key is null or h.key = p_key group by h.key, h.number
  ), slot as (
    select g.key, g.number, g.capacity, g.used from berth_private.slot_group g where p_key is null or g.key = p_key
  ), limits as (
    -- The number in force, and how many slots the groups should have.
    select k.key, k.keyed, n.slots, case when k.keyed then n.slots else n.slots + own.excess end as capacity
      from (select i.key, split_part(i.key, '/', 4) <> '' as keyed
              from (select s.key from slot s
                    union select h.key from held h
                    union select l.key from berth_private.task_limit l
                     where split_part(l.key, '/', 3) = '' and (p_key is null or l.key = p_key)) i) k
      left join berth_private.task_limit own on own.key = k.key
      left join berth_private.task_limit rule on rule.key = berth_private.rule_of(k.key)
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
