-- Waiters: sessions that asked for slots in vain, and what is left to them.

-- How many of so many slots are left to others that wait: an equal part for each, and one at least.
create function berth_private.parts_of_others(p_slots integer, p_others integer) returns integer language sql immutable as $$
  select p_others * greatest(1, p_slots / (p_others + 1))
$$;

-- Notes that a session asked for slots of these limits in vain.
create function berth_private.wait_for(p_session bigint, p_keys text[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_known text[];
begin
  v_known := array(select w.key from berth_private.slot_waiter w where w.key = any (p_keys) and w.session_id = p_session);
  insert into berth_private.slot_waiter (key, session_id, seen_at)
  select distinct k, p_session, p_now from unnest(p_keys) as k where k <> all (v_known)
  on conflict do nothing;  -- holds of one session may ask at the same time
  update berth_private.slot_waiter w set seen_at = p_now
   where w.ctid = any (array(
     select v.ctid from berth_private.slot_waiter v
      where v.key = any (v_known) and v.session_id = p_session
        and (v.seen_at < p_now - interval '100 milliseconds' or v.seen_at <= v.served_at)
        for update skip locked));
end $$;

-- By how many slots a session has more than its part of these limits, given how many share them; less than 0: it has less.
-- Only for limits of which it has some. p_held: what it is about to hold. p_running: its leases under limits, but for
-- those younger than the last of these; null: unknown. They are looked up one by one, for its part of the index is full of
-- dead entries while vacuum is held back.
create function berth_private.beyond_part(p_session bigint, p_keys text[], p_held berth_private.slots_held[], p_running bigint[])
returns table (key text, count bigint) language plpgsql as $$
declare
  v_behind bigint := coalesce(p_running[cardinality(p_running)], 0);
begin
  return query
    select h.key, sum(h.count) - (berth_private.limit_of(h.key)).slots
                                 / (1 + (select count(*) from berth_private.slot_waiter w
                                          where w.key = h.key and w.session_id <> p_session))
      from (select unnest(t.held) as h
              from unnest(p_running) as r (token)
             cross join lateral (
               select t.held from berth_private.task t
                where t.session_id = p_session and t.token = r.token and t.state = 'running' and t.held is not null limit 1) t
            union all
            select unnest(t.held) from berth_private.task t
             where t.session_id = p_session and t.token > v_behind and t.state = 'running' and t.held is not null
            union all
            select unnest(p_held)) t
     cross join lateral (select (t.h).*) h
     where h.key = any (p_keys) group by h.key;
end $$;

-- Of slots that were given back, the part of the other sessions which wait for them, as the key of each slot, and the
-- queues that those read. They are not retaken in this exchange: or a busy worker would keep them for ever. ours: if p_ask,
-- whether this session has a use for some of them too. p_over: limits of lanes that have no tasks left, null: all. If
-- nothing else can be
-- under such a limit, nobody need look.
create function berth_private.leave_to_others(
  p_session bigint, p_given berth_private.slots_held[], p_over text[], p_ask boolean, p_now timestamptz,
    p_floors berth_private.lane_floor[],
  out keys text[], out queues text[], out ours boolean
) language plpgsql as $$
begin
  with given as (
    select g.key, sum(g.count)::integer as slots from unnest(p_given) as g group by g.key
  ), served as (
    update berth_private.slot_waiter w set served_at = p_now
     where w.ctid = any (array(
       select v.ctid
         from given g join berth_private.slot_waiter v on v.key = g.key join berth_private.session s on s.id = v.session_id
        where v.seen_at > v.served_at
          and (split_part(g.key, '/', 4) <> ''  -- whoever asked for the slots of a key saw a task that needs them
               or p_over is not null and g.key <> all (p_over) or berth_private.may_wait(g.key, s.queues, p_floors))
          for update of v skip locked))
    returning w.key, w.session_id
  ), left_over as (
    select g.key, berth_private.parts_of_others(g.slots, count(*)::integer) as parts
      from given g join served w on w.key = g.key and w.session_id <> p_session group by g.key, g.slots
  )
  select coalesce(array(select l.key from left_over l, generate_series(1, l.parts)), '{}'),
         coalesce(array(select distinct unnest(s.queues) from served w join berth_private.session s on s.id = w.session_id
                         where w.session_id <> p_session), '{}'),
         p_ask and (
           exists (select from served w where w.session_id = p_session)
           or p_over is not null and exists (select from given g where g.key <> all (p_over))
           or exists (select from (select distinct split_part(g.key, '/', 1) || '/' || split_part(g.key, '/', 2) as key
                                     from given g) g  -- once for all keys of a type
                       where berth_private.may_wait(g.key, (select s.queues
                         from berth_private.session s where s.id = p_session), p_floors)))
    into keys, queues, ours;
end $$;
