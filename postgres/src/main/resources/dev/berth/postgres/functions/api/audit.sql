-- Audit: replays starts and ends from the history and shows the peak of each limit against the number in force.
--
-- It must show no overlap that never was. started_at is drawn after the slots are locked, so after whoever gave them back
-- has committed; ended_at is drawn before they are given back. So a task that ended always did so before the next one
-- started with its slot. A change of a number is dated at its commit, since claims follow the old one until then.

-- The first number of a limit also holds before it is dated: it comes into being in the transaction of its first claim.
--
-- For each limit the start that brought it furthest over its number, else to its peak. p_key: one limit, or all keys of a
-- rule. p_from leaves out attempts that ended before. forgiven: how many starts were over the number in force and are no
-- excess, since they fell into the second after it was lowered.
create function berth.audit(p_key text default null, p_from timestamptz default '-infinity')
returns table (key text, peak integer, slots integer, at timestamptz, "over" boolean, forgiven integer) language sql stable
  set jit = off
  security definer set search_path = pg_catalog, pg_temp as $$
  with run as (
    select l.key, l.weight, r.started_at, r.ended_at
      from (select h.limits, h.weights, h.started_at, h.ended_at
              from berth_private.task_history h
             where h.limits is not null and h.started_at < h.ended_at and h.ended_at >= p_from
            union all
            select t.limits, t.weights, t.started_at, null
              from berth_private.task t
             where t.state = 'running' and not t.standby and t.limits is not null) r
     cross join lateral unnest(r.limits, r.weights) as l (key, weight)
     where p_key is null or p_key in (l.key, berth_private.rule_of(l.key))
  ), event as (
    select r.key, r.started_at as at, r.weight as change from run r
    union all
    select r.key, r.ended_at, -r.weight from run r where r.ended_at is not null
  ), level as (
    -- Within one moment the ends come first: a slot may pass on in no time.
    select e.key, e.at, e.change,
           sum(e.change) over (partition by e.key order by e.at, e.change rows unbounded preceding) as running
      from event e
  ), piece as (
    -- The number in force, and the highest of the second before: an exchange that was under way when a number was lowered
    -- may still have followed the old one. Both are the same from one moment of these to the next.
    select m.key, c.slots, r.highest, r.none,
           case when split_part(m.key, '/', 4) = '' and lag(m.at) over w is null then '-infinity' else m.at end as since,
           coalesce(lead(m.at) over w, 'infinity') as until
      from (select d.key, d.at from berth_private.limit_change d
            union select d.key, d.at + interval '1 second' from berth_private.limit_change d) m
     cross join lateral (
       select d.slots from berth_private.limit_change d where d.key = m.key and d.at <= m.at order by d.at desc limit 1) c
     cross join lateral (
       select max(d.slots) as highest, bool_or(d.slots is null) as none
         from (select e.slots, lead(e.at) over (order by e.at) as until
                 from berth_private.limit_change e where e.key = m.key and e.at <= m.at) d
        where d.until is null or d.until > m.at - interval '1 second') r
    window w as (partition by m.key order by m.at)
  ), start as (
    -- One of many keys has a number of its own or that of its rule.
    select l.key, l.at, l.running, coalesce(own.slots, rule.slots) as slots,
           l.running - case when own.none is false then own.highest
                            when rule.none is false then greatest(own.highest, rule.highest) end as excess
      from level l
      left join piece own on own.key = l.key and l.at >= own.since and l.at < own.until
      left join piece rule
        on rule.key = berth_private.rule_of(l.key) and rule.key <> l.key and l.at >= rule.since and l.at < rule.until
     where l.change > 0
  )
  select w.key, w.running, w.slots, w.at, w.over, w.forgiven
    from (select distinct on (s.key) s.key, s.running::integer, s.slots, s.at, coalesce(s.excess > 0, false) as over,
                 (count(*) filter (where s.running > s.slots and s.excess > 0 is not true)
                    over (partition by s.key))::integer as forgiven
            from start s
           order by s.key, greatest(s.excess, 0) desc, s.running desc, s.at) w
   where berth_private.is_key(w.key)
$$;
