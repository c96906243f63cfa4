-- Slots that stay: how they pass from one task to the next.
--
-- HAND-OFF. When a task ends, its slots fit the next task of its lane. Within one exchange they pass straight on to it,
-- and no slot row is touched. A slot goes back if its limit was changed since it was taken, is paused or paced; if it was
-- taken a quarter of a second ago and another session waits for it while this one has more than its part, or limited work of
-- a higher priority is there; and after half a second if another lane may be under its limit, so that all have their turn.
--
-- STANDBYS. Between the end of a short task and the answer of the exchange its slot would idle. So a worker may ask for
-- some tasks more than it has slots in a lane, or takes there anew. They are claimed and hold nothing; the worker starts
-- one when another of the lane ends, and says in its next exchange who took over whose slots. As many run as there are
-- slots, for one process starts them one after the other. One that could not start soon goes back to its place.

-- Gives the slots of tasks that ended to the standbys which have taken them over. Returns the leases of these.
create function berth_private.pass_on(p_session bigint, p_freed berth_private.freed[]) returns bigint[] language plpgsql as $$
declare
  v_heirs bigint[];
begin
  with heir as (
    update berth_private.task t set standby = false, held = f.held, held_since = f.since, started_at = f.heir_began
      from unnest(p_freed) as f
     cross join lateral (  -- one probe for each, whatever the statistics say
       select h.id from berth_private.task h
        where h.session_id = p_session and h.token = f.heir and h.state = 'running' limit 1) h
     where f.heir is not null and f.held is not null
       and t.id between h.id and h.id and t.token = f.heir and t.session_id = p_session and t.standby
    returning t.token
  )
  select array_agg(h.token) into v_heirs from heir h;
  return coalesce(v_heirs, '{}');
end $$;

-- The entries of p_freed, by number, whose slots this session has had for long enough while somebody else could use them:
-- those of which it has more than its part, if others wait; those with limited work of a higher priority above them; and, after
-- half a second, those of lanes that share a limit. A limit of a type is shared if the type has other lanes: that is looked at
-- with one exchange in a quarter of a second.
create function berth_private.due_back(
  p_session bigint, p_freed berth_private.freed[], p_heirs bigint[], p_now timestamptz, p_before timestamptz,
  p_floors berth_private.lane_floor[], p_running bigint[]
) returns bigint[] language plpgsql as $$
declare
  v_keys    text[];
  v_beyond  bigint[];         -- by how many slots it has more than its part of these
  v_above   text[];           -- queues with limited work above some of this
  v_turns   text[];           -- lanes that have had their turn
  v_look    boolean := p_before is null
                    or floor(4 * extract(epoch from p_now)) > floor(4 * extract(epoch from p_before));
begin
  v_keys := array(
    select w.key from berth_private.slot_waiter w
     where w.key = any (array(select unnest(f.limits) from unnest(p_freed) as f))
       and w.session_id <> p_session and w.seen_at > w.served_at);
  if v_keys <> '{}' then
    select array_agg(b.key), array_agg(b.count) into v_keys, v_beyond
      from berth_private.beyond_part(p_session, v_keys, array(
             select unnest(f.held) from unnest(p_freed) as f where f.heir is null or f.heir <> all (p_heirs)), p_running) b
     where b.count > 0;
  end if;
  v_above := array(
    select q.queue from (select f.queue, min(f.priority) as priority from unnest(p_freed) as f group by f.queue) q
     where case when exists (select from unnest(p_floors) as f where f.queue = q.queue and f.priority > q.priority)
                then exists (select from generate_series(q.priority + 1, 9) as l (level)
                              where berth_private.lanes_wait(q.queue, l.level::smallint, null, p_floors))
                else (  -- a limit, so that it is one probe for each, whatever the statistics say
                  select true from berth_private.task t
                   where t.queue = q.queue and t.priority > q.priority and t.state = 'ready' and t.lane is not null
                   order by t.priority desc limit 1) end);
  v_turns := array(
    select berth_private.line_of(l.queue, l.priority, l.type, l.lane)
      from (select distinct f.queue, f.priority, f.type, f.lane, f.limits from unnest(p_freed) as f
             where f.since < p_now - interval '500 milliseconds' and f.since > '-infinity') l
     where l.limits <> array[berth_private.type_key(l.type)]
        or v_look and not berth_private.only_lane_of_type(p_session, l.queue, l.priority, l.type, l.lane));
  return array(
    select f.number
      from (select f.*, w.place, w.free, row_number() over (partition by w.place, w.free order by f.since, f.number) as nth
              from (select f.number, f.queue, f.priority, f.type, f.lane, f.limits, f.heir,
                           -- a standby that has run did so in slots of its lane that came back with it
                           case when f.held is null then min(f.since) over (partition by f.queue, f.priority, f.type, f.lane)
                                else f.since end as since
                      from unnest(p_freed) with ordinality as f (
                        queue, priority, type, lane, limits, position, since, held, heir, heir_began, standbys, number)) f
             cross join lateral (
               select (select min(array_position(v_keys, l.key)) from unnest(f.limits) as l (key)) as place,
                      f.heir is null or f.heir <> all (p_heirs) as free) w
             where f.since < p_now - interval '250 milliseconds') f
     where f.queue = any (v_above)
        or f.place is not null and (not f.free or f.nth <= v_beyond[f.place])
        or v_turns <> '{}' and f.since < p_now - interval '500 milliseconds'
           and berth_private.line_of(f.queue, f.priority, f.type, f.lane) = any (v_turns));
end $$;

-- Hands freed slots on to the next tasks of the same lanes, which are locked, and adds the standbys that are wanted.
-- p_heirs: who has taken slots over already. rest: the slots that nobody inherits; over: the limits of those whose lane has
-- no tasks left, null: all. Where a task was alone in its lane, as with many keys, no next one is looked for: since
-- -infinity says so.
-- p_before: when the exchange before this one was. p_scanned: queues in which heirs are looked for from the head of their
-- lane, so that none is passed over for ever.
create function berth_private.hand_on(
  p_session bigint, p_freed berth_private.freed[], p_heirs bigint[], p_queues text[], p_size integer, p_now timestamptz,
  p_before timestamptz, p_floors berth_private.lane_floor[], p_running bigint[], p_scanned text[],
  out ctids tid[], out held berth_private.holding[], out standbys tid[], out rest berth_private.slots_held[],
  out over text[]
) language plpgsql as $$
declare
  v_oldest  timestamptz;  -- since when a slot is held
  v_stopped text[];  -- limits whose slots must go back
  v_last    bigint := cardinality(p_freed);  -- the last entry whose slots are handed on
  v_back    bigint[] := '{}';                  -- entries whose slots others shall have
begin
  select min(f.since) into v_oldest from unnest(p_freed) as f where f.since > '-infinity';
  if v_oldest is null then
    ctids := '{}';
    standbys := '{}';
    rest := nullif(array(select unnest(f.held) from unnest(p_freed) as f where f.heir is null or f.heir <> all (p_heirs)), '{}');
    return;
  end if;
  v_stopped := array(
    select k.key
      from (select l.key, min(f.since) filter (where f.since > '-infinity') as since
              from unnest(p_freed) as f, unnest(f.limits) as l (key) group by l.key) k
     where exists (select from berth_private.task_limit l
                    where l.key in (k.key, berth_private.rule_of(k.key))
                      and (l.paused or l.pace is not null or (l.changed_at < k.since) is not true or l.excess > 0
                           or p_now between l.reserved_from and l.reserved_until)));
  if v_oldest < p_now - interval '250 milliseconds' then
    v_back := berth_private.due_back(p_session, p_freed, p_heirs, p_now, p_before, p_floors, p_running);
  end if;
  if v_last > p_size then
    select max(f.number) into v_last
      from (select f.number from unnest(p_freed) with ordinality as f (
              queue, priority, type, lane, limits, position, since, held, heir, heir_began, standbys, number)
             where f.held is not null and (f.heir is null or f.heir <> all (p_heirs)) order by f.number limit p_size) f;
  end if;

  -- Lane by lane; none gets more heirs than slots. A slot whose task was charged later, since null, is not handed on.
  with entry as (
    select f.*, f.held is not null and (f.heir is null or f.heir <> all (p_heirs)) as free,
           coalesce((f.since > '-infinity' or f.held is null) and f.number <> all (v_back)
                    and f.number <= v_last and f.queue = any (p_queues) and not f.limits && v_stopped, false) as goes_on
      from unnest(p_freed) with ordinality as f (
        queue, priority, type, lane, limits, position, since, held, heir, heir_began, standbys, number)
  ), lane as (
    select e.queue, e.priority, e.type, e.lane, count(*) filter (where e.free) as slots,
           coalesce(sum(e.standbys), 0) as standbys,
           array_agg((e.held, e.since)::berth_private.holding) filter (where e.free) as held,
           case when e.queue = any (p_scanned) then '-infinity'
                else least(max(e.position), p_now - interval '100 milliseconds') end as floor
      from entry e where e.goes_on group by e.queue, e.priority, e.type, e.lane
  ), heir as materialized (
    select l.held, n.ctids, least(l.slots, n.count)::integer as count
      from lane l
     cross join lateral (
       select array_agg(t.ctid) as ctids, count(*) as count
         from (select t.ctid from berth_private.task t
                where t.queue = l.queue and t.priority = l.priority and t.type = l.type and t.lane = l.lane
                  and t.position >= l.floor and t.state = 'ready' and t.lane is not null
                order by t.position, t.id limit l.slots + l.standbys for update skip locked) t) n
  )
  select array(select unnest(h.ctids[1 : h.count]) from heir h),
         array(select unnest(h.held[1 : h.count]) from heir h),
         array(select unnest(h.ctids[h.count + 1 :]) from heir h),
         array(select unnest(g.held) from heir h, unnest(h.held[h.count + 1 :]) as g
               union all
               select unnest(e.held) from entry e where e.free and not e.goes_on),
         array(select distinct s.key from heir h, unnest(h.held[h.count + 1 :]) as g, unnest(g.held) as s)
    into ctids, held, standbys, rest, over;
  rest := nullif(rest, '{}');
end $$;
