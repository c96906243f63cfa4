-- Limits that nobody needs to remember. A limit comes into being with its first task and with the code of a worker, and
-- each would stay for ever. One goes when nobody has set or paused it by hand, and nobody was seen to use it for a week, at
-- one look a day: no task is under it, nobody holds a slot of it, no schedule and no worker that is there names it. It comes
-- again with the next task or worker that names it, with the number that is said then.

-- The limits that are in use, and the rules of those of many keys.
create function berth_private.limits_in_use() returns table (key text) language sql stable set jit = off as $$
  with named as (
    select k.key from berth_private.task t cross join lateral unnest(t.limits) as k (key) where t.lane is not null
    union select g.key from berth_private.slot_group g where g.used > 0
    union select h.key from berth_private.hold h
    union select k.key from berth_private.schedule s cross join lateral unnest(s.limits) as k (key)
  ), handled as (
    select distinct y.type from berth_private.session s cross join lateral unnest(s.types) as y (type)
  )
  select n.key from named n
  union select berth_private.rule_of(n.key) from named n
  union select l.key from handled y join berth_private.type_limit l on l.type = y.type
  union select l.key from handled y
          join berth_private.task_limit l on split_part(l.key, '/', 1) = 'type'
           and split_part(l.key, '/', 2) = split_part(berth_private.type_key(y.type), '/', 2)
$$;

-- Nobody is waited for: what somebody else has locked is in use. Not where millions of tasks are alive, all of which would
-- have to be read.
create function berth_private.forget_limits(p_size integer default 10000) returns void language plpgsql set jit = off as $$
declare
  v_now    timestamptz := berth_private.now();
  v_keys   text[];
  v_groups record;
begin
  update berth_private.type_quota q set idle_since = case when y.idle then v_now end
    from (select k.type, k.key, not exists (select from berth_private.session s where k.type = any (s.types)) as idle
            from berth_private.type_quota k) y
   where q.type = y.type and q.key = y.key and (q.idle_since is null) = y.idle;
  delete from berth_private.type_quota q where q.idle_since < v_now - interval '7 days';
  if (select c.reltuples > 1000000 from pg_class c where c.oid = 'berth_private.task'::regclass) then
    return;
  end if;
  with used as materialized (select u.key from berth_private.limits_in_use() u),
  seen as (
    select l.key, u.key is null and l.override_slots is null and not l.paused as idle
      from berth_private.task_limit l left join used u on u.key = l.key
     where (l.idle_since is null) = (u.key is null and l.override_slots is null and not l.paused)
     limit p_size for update of l skip locked)
  update berth_private.task_limit l set idle_since = case when s.idle then v_now end from seen s where l.key = s.key;

  v_keys := array(
    select l.key from berth_private.task_limit l where l.idle_since < v_now - interval '7 days' order by l.key limit p_size);
  if v_keys = '{}' then
    return;
  end if;
  -- Groups, then limits, as everybody locks them; and judged when they are locked, for somebody may have come meanwhile.
  select array_agg(g.key) as keys, array_agg(g.count) as counts into v_groups
    from (select g.key, count(*) as count
            from (select g.key, g.used from berth_private.slot_group g
                   where g.key = any (v_keys) order by g.key, g.number for update skip locked) g
           where g.used = 0 group by g.key) g;
  v_keys := array(
    select l.key
      from (select l.key from berth_private.task_limit l
             where l.key = any (v_keys) and l.idle_since < v_now - interval '7 days'
               and l.override_slots is null and not l.paused
             order by l.key for update skip locked) l
      left join unnest(v_groups.keys, v_groups.counts) as g (key, count) on g.key = l.key
     where coalesce(g.count, 0) = (select count(*) from berth_private.slot_group a where a.key = l.key));
  delete from berth_private.slot_group g where g.key = any (v_keys);
  delete from berth_private.type_limit y where y.key = any (v_keys);
  delete from berth_private.task_limit l where l.key = any (v_keys);
end $$;
