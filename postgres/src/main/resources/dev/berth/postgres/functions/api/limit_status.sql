-- Limits whose number was said or that are in use, with who holds their slots; one of many keys only while it is in use, and
-- a rule with the sum of its keys. One statement, one moment. Who is heavy may hold slots of several groups: shown once, with
-- the first of them.
create function berth.limit_status() returns table (
  limit_key text, slots integer, unlimited boolean, used bigint, waiting bigint, paused boolean, source text, key text,
  number integer, count bigint, task_id uuid, token bigint, type text, worker text, expires_at timestamptz,
  since timestamptz
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  with holder as (
    select k.key, min(h.number) as number, sum(h.count) as count, h.task_id, h.token, h.type, s.worker, s.expires_at, h.since
      from berth_private.slot_holder h
     cross join lateral unnest(berth_private.with_rule(h.key)) as k (key)
      join berth_private.session s on s.id = h.session_id
     group by k.key, h.task_id, h.token, h.type, s.worker, s.expires_at, h.since
  ), used as (
    select k.key, sum(g.used) as slots
      from berth_private.slot_group g cross join lateral unnest(berth_private.with_rule(g.key)) as k (key) group by k.key
  ), waiting as (
    select k.key, sum(w.tasks)::bigint as tasks
      from berth_private.waiting_under(100000) w cross join lateral unnest(berth_private.with_rule(w.key)) as k (key)
     group by k.key
  )
  select k.key as limit_key, coalesce(n.slots, 0) as slots, n.slots is null as unlimited,
         coalesce(u.slots, 0) as used, coalesce(w.tasks, 0) as waiting, n.paused,
         case when coalesce(l.override_slots, r.override_slots) is not null then 'OVERRIDE'
              when coalesce(l.code_slots, r.code_slots) is null then 'SUBMIT'
              when case when l.code_slots is null then r.in_file else l.in_file end then 'FILE' else 'CODE' end as source,
         h.*
    from (select l.key from berth_private.task_limit l union select g.key from berth_private.slot_group g) k
    left join berth_private.task_limit l on l.key = k.key
    left join berth_private.task_limit r on r.key = berth_private.rule_of(k.key)
   cross join lateral berth_private.limit_of(k.key) n
    left join used u on u.key = k.key
    left join waiting w on w.key = k.key
    left join holder h on h.key = k.key
   where (n.slots is not null or n.paused) and berth_private.is_key(k.key)
   order by k.key, h.number, h.token
$$;

-- How many tasks are pending or running under each quota.
create function berth.quota_status() returns table (key text, count integer) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select c.key, n.count::integer
    from berth_private.quota_count c
   cross join lateral (
     select c.count - coalesce(sum(r.count), 0) from berth_private.quota_return r where r.key = c.key) n (count)
   where n.count > 0 and berth_private.is_key(c.key)
$$;
