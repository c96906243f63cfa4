-- Slots: how running tasks take them, give them back and hand them on.
--
-- LANES. Tasks of one type under the same limits wait in one lane. A claim goes from lane to lane by task_lane, from the
-- cursor where the last one ended, once around. It reads some tasks at a time where lanes are short, and passes over those
-- that others have locked; else it probes for one lane after the other, and a million blocked tasks cost one read. Behind a full limit all lanes that
-- begin with it are passed over in one hop, for in the name of a lane its limits stand from the most to the least shared.
--
-- FLOORS. A claim leaves a dead entry in task_lane, and while any transaction holds vacuum back it stays. The session knows
-- how far it has come in the lanes from which it claims much, and a look goes on from there: it reads the lanes between two
-- such floors, and then the lane of the second from its floor on. What appears behind a floor is found when the whole
-- queue is scanned, without floors.
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
--
-- LOCKS. Slots are given back first, with waiting, in the order of their groups. Then others are taken, and whatever is
-- locked by somebody is passed over: who takes never waits, so nobody can wait for one who waits.

-- How many of so many slots are left to others that wait: an equal part for each, and one at least.
create function berth.parts_of_others(p_slots integer, p_others integer) returns integer language sql immutable as $$
  select p_others * greatest(1, p_slots / (p_others + 1))
$$;

-- Gives the slots of tasks that ended to the standbys which have taken them over. Returns the leases of these.
create function berth.pass_on(p_session bigint, p_freed berth.freed[]) returns bigint[] language plpgsql as $$
declare
  v_heirs bigint[];
begin
  with heir as (
    update berth.task t set standby = false, held = f.held, held_since = f.since, started_at = f.heir_began
      from unnest(p_freed) as f
     cross join lateral (  -- one probe for each, whatever the statistics say
       select h.id from berth.task h
        where h.session_id = p_session and h.token = f.heir and h.state = 'running' limit 1) h
     where f.heir is not null and f.held is not null
       and t.id between h.id and h.id and t.token = f.heir and t.session_id = p_session and t.standby
    returning t.token
  )
  select array_agg(h.token) into v_heirs from heir h;
  return coalesce(v_heirs, '{}');
end $$;

-- Whether tasks of this queue, or under this limit or rule, stand by, or an exchange is under way that began before p_since.
-- After a change that is to hold tasks back this is true for some more moments, in which they may start.
create function berth.stand_by(p_queue text, p_key text, p_since timestamptz) returns boolean language plpgsql
  set enable_seqscan = off set jit = off as $$
begin
  return exists (
           select from pg_stat_activity a
            where a.datname = current_database() and a.pid <> pg_backend_pid() and a.state = 'active'
              and a.xact_start < p_since and position('berth.exchange(' in a.query) > 0)
      or exists (
           select from berth.task t
            where t.session_id is not null and t.state = 'running' and t.standby
              and (t.queue = p_queue
                   or exists (select from unnest(t.limits) as l (key) where p_key in (l.key, berth.rule_of(l.key)))));
end $$;

-- Whether a type has no ready tasks in other lanes than this, at least where this session could claim them.
create function berth.only_lane_of_type(
  p_session bigint, p_queue text, p_priority smallint, p_type text, p_lane text
) returns boolean language plpgsql as $$
declare
  v_queues text[];
begin
  select s.queues into v_queues from berth.session s where s.id between p_session and p_session order by s.id desc limit 1;
  return not exists (select from berth.task t
                      where t.queue = any (v_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = p_type
                        and t.lane < p_lane and t.state = 'ready' and t.lane is not null)
     and not exists (select from berth.task t
                      where t.queue = any (v_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = p_type
                        and t.lane > p_lane and t.state = 'ready' and t.lane is not null)
     and not exists (select from unnest(v_queues) as q (name), generate_series(0, 9) as p (number)
                      cross join lateral (
                        select from berth.task t
                         where t.queue = q.name and t.priority = p.number::smallint and t.type = p_type and t.lane = p_lane
                           and t.state = 'ready' and t.lane is not null limit 1) t
                      where (q.name, p.number) <> (p_queue, p_priority));
end $$;

-- Whether there are ready tasks in the lanes of one level, or of one type there.
create function berth.lanes_wait(
  p_queue text, p_priority smallint, p_type text, p_floors berth.lane_floor[]
) returns boolean language plpgsql as $$
declare
  v_type  text := coalesce(p_type, '');
  v_lane  text := '';
  v_floor record;
begin
  for v_floor in
    select f.type, f.lane, f.floor from unnest(p_floors) as f
     where f.queue = p_queue and f.priority = p_priority and f.type = coalesce(p_type, f.type) order by f.type, f.lane
  loop
    if exists (select from berth.task t
                where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                  and (t.type, t.lane) > (v_type, v_lane) and t.type < v_floor.type)
       or exists (select from berth.task t
                   where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                     and t.type = v_floor.type and t.lane > case when v_type = v_floor.type then v_lane else '' end
                     and t.lane < v_floor.lane)
       or exists (select from berth.task t
                   where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                     and t.type = v_floor.type and t.lane = v_floor.lane and t.position >= v_floor.floor) then
      return true;
    end if;
    v_type := v_floor.type;
    v_lane := v_floor.lane;
  end loop;
  return exists (select from berth.task t
                  where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                    and t.type = v_type and t.lane > v_lane)
      or p_type is null
         and exists (select from berth.task t
                      where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                        and t.type > v_type);
end $$;

-- The entries of p_freed, by number, whose slots this session has had for long enough while somebody else could use them:
-- those of which it has more than its part, if others wait; those with limited work of a higher priority above them; and, after
-- half a second, those of lanes that share a limit. A limit of a type is shared if the type has other lanes: that is looked at
-- with one exchange in a quarter of a second.
create function berth.due_back(
  p_session bigint, p_freed berth.freed[], p_heirs bigint[], p_now timestamptz, p_before timestamptz,
  p_floors berth.lane_floor[], p_running bigint[]
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
    select w.key from berth.slot_waiter w
     where w.key = any (array(select unnest(f.limits) from unnest(p_freed) as f))
       and w.session_id <> p_session and w.seen_at > w.served_at);
  if v_keys <> '{}' then
    select array_agg(b.key), array_agg(b.count) into v_keys, v_beyond
      from berth.beyond_part(p_session, v_keys, array(
             select unnest(f.held) from unnest(p_freed) as f where f.heir is null or f.heir <> all (p_heirs)), p_running) b
     where b.count > 0;
  end if;
  v_above := array(
    select q.queue from (select f.queue, min(f.priority) as priority from unnest(p_freed) as f group by f.queue) q
     where case when exists (select from unnest(p_floors) as f where f.queue = q.queue and f.priority > q.priority)
                then exists (select from generate_series(q.priority + 1, 9) as l (level)
                              where berth.lanes_wait(q.queue, l.level::smallint, null, p_floors))
                else (  -- a limit, so that it is one probe for each, whatever the statistics say
                  select true from berth.task t
                   where t.queue = q.queue and t.priority > q.priority and t.state = 'ready' and t.lane is not null
                   order by t.priority desc limit 1) end);
  v_turns := array(
    select berth.line_of(l.queue, l.priority, l.type, l.lane)
      from (select distinct f.queue, f.priority, f.type, f.lane, f.limits from unnest(p_freed) as f
             where f.since < p_now - interval '500 milliseconds' and f.since > '-infinity') l
     where l.limits <> array[berth.type_key(l.type)]
        or v_look and not berth.only_lane_of_type(p_session, l.queue, l.priority, l.type, l.lane));
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
           and berth.line_of(f.queue, f.priority, f.type, f.lane) = any (v_turns));
end $$;

-- Hands freed slots on to the next tasks of the same lanes, which are locked, and adds the standbys that are wanted.
-- p_heirs: who has taken slots over already. rest: the slots that nobody inherits; over: the limits of those whose lane has
-- no tasks left, null: all. Where a task was alone in its lane, as with many keys, no next one is looked for: since -infinity says so.
-- p_before: when the exchange before this one was. p_scanned: queues in which heirs are looked for from the head of their
-- lane, so that none is passed over for ever.
create function berth.hand_on(
  p_session bigint, p_freed berth.freed[], p_heirs bigint[], p_queues text[], p_size integer, p_now timestamptz,
  p_before timestamptz, p_floors berth.lane_floor[], p_running bigint[], p_scanned text[],
  out ctids tid[], out held berth.holding[], out standbys tid[], out rest berth.slots_held[],
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
     where exists (select from berth.task_limit l
                    where l.key in (k.key, berth.rule_of(k.key))
                      and (l.paused or l.pace is not null or (l.changed_at < k.since) is not true or l.excess > 0
                           or p_now between l.reserved_from and l.reserved_until)));
  if v_oldest < p_now - interval '250 milliseconds' then
    v_back := berth.due_back(p_session, p_freed, p_heirs, p_now, p_before, p_floors, p_running);
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
           array_agg((e.held, e.since)::berth.holding) filter (where e.free) as held,
           case when e.queue = any (p_scanned) then '-infinity'
                else least(max(e.position), p_now - interval '100 milliseconds') end as floor
      from entry e where e.goes_on group by e.queue, e.priority, e.type, e.lane
  ), heir as materialized (
    select l.held, n.ctids, least(l.slots, n.count)::integer as count
      from lane l
     cross join lateral (
       select array_agg(t.ctid) as ctids, count(*) as count
         from (select t.ctid from berth.task t
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

-- The next lanes of one level after this one, with the limits of their first tasks: those of the next 16 tasks, or, with
-- p_probe, the next 16 lanes by one probe each; or as many as it takes to find one of a type that this worker handles.
-- lanes null: there are no more.
create function berth.next_lanes(
  p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_probe boolean, out lanes berth.lane_head[]
) language plpgsql as $$
declare
  v_last text;
begin
  loop
    if p_probe then
      with recursive lane as (
        (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
           from berth.task t
          where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
            and (t.type, t.lane) > (p_type, p_lane)
          order by t.type, t.lane, t.position, t.id limit 1)
        union all
        select n.type, n.lane, n.limits, n.weights, n.said_slots, n.position
          from lane l
         cross join lateral (
           select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
             from berth.task t
            where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
              and (t.type, t.lane) > (l.type, l.lane)
            order by t.type, t.lane, t.position, t.id limit 1) n
      )
      select array_agg((l.type, l.lane, l.limits, l.weights, l.said_slots, l.position, null)::berth.lane_head)
               filter (where l.type = any (p_types)),
             max(l.type)
        into lanes, v_last
        from (select * from lane limit 16) l;
    else
      select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position, null)::berth.lane_head)
               filter (where t.first and t.type = any (p_types)), max(t.type)
        into lanes, v_last
        from (select t.*, row_number() over (partition by t.type, t.lane) = 1 as first
                from (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
                        from berth.task t
                       where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                         and (t.type, t.lane) > (p_type, p_lane)
                       order by t.type, t.lane, t.position, t.id limit 16) t) t;
    end if;
    exit when lanes is not null or v_last is null;
    -- Types that this worker does not handle: on to the next one that it does.
    select min(h.type) into p_type from unnest(p_types) as h (type) where h.type > v_last;
    p_lane := '';
    exit when p_type is null;
  end loop;
end $$;

-- The same where floors are known: those of this level in their order, and behind them one at the end of all lanes. The
-- lanes between two floors, of the next 16 tasks there, then the lane with the second floor, and so on, for 16 floors.
--
-- What is between them ends in two conditions, on the type and on the lane: a comparison of rows, (type, lane) < (x, y), would
-- read the whole lane y.
create function berth.next_lanes_by_floors(
  p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_floors berth.lane_floor[],
  out lanes berth.lane_head[]
) language plpgsql as $$
declare
  v_foreign text;    -- the type at which it was cut short
  v_last    bigint;  -- the number of the last floor
begin
  loop
    with segment as materialized (
      select f.number, f.type, f.lane, f.floor, lag(f.type, 1, p_type) over (order by f.number) as from_type,
             case when lag(f.type, 1, p_type) over (order by f.number) = f.type
                  then lag(f.lane, 1, p_lane) over (order by f.number) else '' end as from_lane_of_type,
             lag(f.lane, 1, p_lane) over (order by f.number) as from_lane
        from unnest(p_floors) with ordinality as f (queue, priority, type, lane, floor, number)
       where (f.type, f.lane) > (p_type, p_lane) order by f.number limit 16
    ), task as materialized (
      select s.number, 1 as part, b.*
        from segment s
       cross join lateral (
         (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
            from berth.task t
           where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
             and (t.type, t.lane) > (s.from_type, s.from_lane) and t.type < s.type
           order by t.type, t.lane, t.position, t.id limit 16)
         union all
         (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
            from berth.task t
           where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
             and t.type = s.type and t.lane > s.from_lane_of_type and t.lane < s.lane
           order by t.lane, t.position, t.id limit 16)
         limit 16) b
      union all
      select s.number, 2, k.*
        from segment s
       cross join lateral (
         select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
           from berth.task t
          where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
            and t.type = s.type and t.lane = s.lane and t.position >= s.floor
          order by t.position, t.id limit 1) k
    ), cut as (  -- there may be more in front of this floor
      select min(c.number) as number from (select t.number from task t where t.part = 1 group by t.number having count(*) = 16) c
    ), head as (
      select distinct on (t.number, t.part, t.type, t.lane) t.*
        from task t cross join cut c
       where c.number is null or t.number < c.number or t.number = c.number and t.part = 1
       order by t.number, t.part, t.type, t.lane, t.position
    )
    select array_agg((h.type, h.lane, h.limits, h.weights, h.said_slots, h.position, null)::berth.lane_head
                     order by h.number, h.part, h.type, h.lane) filter (where h.type = any (p_types)),
           (select max(h.type) from head h, cut c where h.number = c.number), max(s.number)
      into lanes, v_foreign, v_last
      from segment s left join head h on h.number = s.number;
    exit when lanes is not null or v_last is null;
    if v_foreign is null then  -- nothing up to here
      p_type := p_floors[v_last].type;
      p_lane := p_floors[v_last].lane;
    else  -- types that this worker does not handle: on to the next one that it does
      select min(h.type) into p_type from unnest(p_types) as h (type) where h.type > v_foreign;
      p_lane := '';
      exit when p_type is null;
    end if;
  end loop;
end $$;

-- The next lanes of one type, where lanes are short: those of the next p_rows tasks that nobody has locked. These are
-- locked, so that claimers who are in the same place pass each other by. lanes null: there are no more before p_until.
create function berth.lock_lanes(
  p_queue text, p_priority smallint, p_type text, p_lane text, p_until text, p_rows integer, out lanes berth.lane_head[]
) language plpgsql as $$
begin
  select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position,
                    case when t.count = 1 and t.number < p_rows then t.ctid end)::berth.lane_head)
           filter (where t.first)
    into lanes
    from (select t.*, row_number() over (partition by t.type, t.lane) = 1 as first,
                 count(*) over (partition by t.type, t.lane) as count
            from (select t.*, row_number() over () as number
                    from (select t.ctid, t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
                            from berth.task t
                           where t.queue = p_queue and t.priority = p_priority and t.type = p_type and t.lane > p_lane
                             and t.lane < p_until and t.state = 'ready' and t.lane is not null
                           order by t.type, t.lane, t.position, t.id limit p_rows
                             for update skip locked) t) t) t;
  -- Nobody knows yet whether the last one is alone in its lane: the next read begins with it.
  if cardinality(lanes) > 1 and lanes[cardinality(lanes)].single is null then
    lanes := lanes[: cardinality(lanes) - 1];
  end if;
end $$;

-- Adds up to p_size tasks of the levels p_from down to p_to, which may start under their limits, to the basket.
create function berth.claim_levels(
  p_basket berth.basket, p_session bigint, p_queue text, p_from integer, p_to integer, p_types text[], p_size integer,
  p_left text[], p_now timestamptz, p_floors berth.lane_floor[], p_running bigint[]
) returns berth.basket language plpgsql as $$
declare
  v_known smallint[] := array(select f.priority from unnest(p_floors) as f where f.queue = p_queue);
  v_level smallint := p_from + 1;
  v_at    text[] := string_to_array(p_basket.cursor, E'\n');
  v_last  smallint := v_at[3];  -- where work was found last
  v_most  integer := cardinality(p_basket.ctids) + p_size;
  v_need  integer := p_size;
begin
  while p_size > 0 loop
    if v_need <= 0 then
      p_basket.more := true;
      exit;
    end if;
    -- The next level with work. Where some was found last there is more behind the cursor, most likely, and dead entries
    -- in front of it. A level with floors is looked at in any case: that is what tells whether there is work.
    v_level := case when v_known <> '{}' then (
      select l.level from generate_series(v_level - 1, p_to, -1) as l (level)
       where case when l.level = any (v_known) then true
                  else coalesce(
                    (select true from berth.task t
                      where l.level = v_last and t.queue = p_queue and t.priority = v_last
                        and (t.type, t.lane) > (v_at[1], v_at[2]) and t.state = 'ready' and t.lane is not null limit 1),
                    (select true from berth.task t
                      where t.queue = p_queue and t.priority = l.level::smallint
                        and t.state = 'ready' and t.lane is not null limit 1)) end
       limit 1)
    else coalesce(
      (select t.priority from berth.task t
        where t.queue = p_queue and t.priority < v_level and t.priority >= p_to and t.priority > v_last
          and t.state = 'ready' and t.lane is not null
        order by t.priority desc limit 1),
      (select v_last where v_last < v_level and v_last >= p_to and exists (
         select from berth.task t
          where t.queue = p_queue and t.priority = v_last and (t.type, t.lane) > (v_at[1], v_at[2])
            and t.state = 'ready' and t.lane is not null)),
      (select t.priority from berth.task t
        where t.queue = p_queue and t.priority < v_level and t.priority >= p_to
          and t.state = 'ready' and t.lane is not null
        order by t.priority desc limit 1)) end;
    exit when v_level is null;
    p_basket := berth.claim_lanes(
      p_basket, p_session, p_queue, v_level, p_types, v_need, p_left, p_now, p_floors, p_running);
    v_need := berth.still_wanted(v_most, p_basket);
  end loop;
  return p_basket;
end $$;

-- Goes through the lanes of one level, from the cursor once around. Lanes whose limits are full are passed over, and the
-- session is noted as waiting for them. p_left: limits that are left to others this time.
create function berth.claim_lanes(
  p_basket berth.basket, p_session bigint, p_queue text, p_priority smallint, p_types text[], p_size integer,
  p_left text[], p_now timestamptz, p_floors berth.lane_floor[], p_running bigint[]
) returns berth.basket language plpgsql as $$
declare
  v_end     constant text := '~';  -- behind all lanes, for keys begin with a letter
  v_floored boolean := exists (select from unnest(p_floors) as f where f.queue = p_queue and f.priority = p_priority);
  v_floors  berth.lane_floor[];
  v_until   text;
  v_seen    berth.lane_head[] := '{}';
  v_entries bigint := berth.lane_entries_read();
  v_start   text[] := (string_to_array(coalesce(p_basket.cursor, E'\n'), E'\n'))[1 : 2];
  v_type    text := v_start[1];
  v_lane    text := v_start[2];
  v_wrapped boolean := v_start = '{"",""}';
  v_around  boolean := false;
  v_reached boolean := false;
  v_jumped  boolean := false;
  v_reads   integer := 0;
  v_way     text := 'read';      -- how lanes are found: read; probe, where they are long; lock, where they are short
  v_left    integer := p_size;
  v_heads   berth.lane_head[];
  v_next    berth.lane_head;
  v_lanes   berth.lane_head[];
  v_ahead   integer[];
  v_least   integer := 1;
  v_most    integer := 50;
  v_found   bigint;
  v_taken   record;
  v_blocked text[] := '{}';
  v_waits   text[] := '{}';
  v_shared  text;                -- the first limit of the last lane,
  v_asked   text[] := '{}';      --   and those that were asked whether they are full
  v_held    berth.slots_held[];
begin
  if v_floored then  -- those of this level, in the order of the index
    v_floors := array(
      select (p_queue, p_priority, f.type, f.lane, f.floor)::berth.lane_floor
        from (select f.type, f.lane, f.floor from unnest(p_floors) as f
               where f.queue = p_queue and f.priority = p_priority
              union all
              select max(y.type), v_end, 'infinity' from unnest(p_types) as y (type)) f
       order by f.type, f.lane);
  end if;
  while v_left > 0 and v_reads < 200 and not v_around loop
    -- As many lanes as could fill the claim if most of their slots were free; more if that was not enough.
    v_lanes := '{}';
    v_ahead := '{}';
    v_found := 0;
    while (4 * v_found < 5 * v_left or cardinality(v_lanes) < v_least) and cardinality(v_lanes) < v_most
          and v_reads < 200 and not v_around loop
      v_reads := v_reads + 4;
      if v_way = 'lock' then
        v_until := case when v_floored then (
          select min(f.lane) from unnest(v_floors) as f where f.type = v_type and f.lane > v_lane) end;
        v_until := coalesce(v_until, v_end);
        v_heads := berth.lock_lanes(p_queue, p_priority, v_type, v_lane, v_until, least(64, 2 + v_left + v_left / 4));
        if v_heads is null then  -- on to the lane with a floor, or to the next type
          v_lane := v_until;
          if v_until = v_end then
            v_way := 'read';
            continue;
          end if;
          select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position, null)::berth.lane_head)
            into v_heads
            from unnest(v_floors) as f
           cross join lateral (
             select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
               from berth.task t
              where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                and t.type = f.type and t.lane = f.lane and t.position >= f.floor
              order by t.position, t.id limit 1) t
           where f.type = v_type and f.lane = v_until;
          continue when v_heads is null;
        end if;
      else
        v_heads := case when v_floored
          then berth.next_lanes_by_floors(p_queue, p_priority, p_types, v_type, v_lane, v_floors)
          else berth.next_lanes(p_queue, p_priority, p_types, v_type, v_lane, v_way = 'probe') end;
        if v_way = 'read' and v_heads[1].type = v_heads[9].type and cardinality(v_heads[9].limits) = 1
           and not (v_floored and exists (select from unnest(v_floors) as f
                                           where f.type = v_heads[1].type and f.lane = v_heads[1].lane)) then
          v_way := 'lock';
          if v_heads[1].type <> v_type then
            v_type := v_heads[1].type;
            v_lane := '';
          end if;
          continue;
        elsif cardinality(v_heads) <= 8 then
          v_way := 'probe';
        end if;
        if v_way = 'probe' or v_floored then
          v_seen := v_seen || v_heads;
        end if;
      end if;
      if v_heads is null then
        v_around := v_wrapped;
        v_wrapped := true;
        v_type := '';
        v_lane := '';
        continue;
      end if;
      v_most := case when v_way = 'lock' then 120 else 50 end;
      foreach v_next in array v_heads loop
        continue when v_next.type = v_type and v_next.lane < v_lane collate "C";  -- behind a full limit
        if v_wrapped and v_start <> '{"",""}' and (v_next.type > v_start[1]
                                                   or v_next.type = v_start[1] and v_next.lane > v_start[2] collate "C") then
          v_around := true;
          exit;
        end if;
        v_type := v_next.type;
        v_lane := v_next.lane;
        -- Two lanes that begin with the same limit: if it is full, there may be a thousand more.
        if v_next.limits[1] = v_shared and v_shared <> all (v_asked) then
          v_asked := v_asked || v_shared;
          if berth.is_full(v_shared) then
            v_blocked := v_blocked || v_shared;
            v_waits := v_waits || v_shared;
          end if;
        end if;
        v_shared := v_next.limits[1];
        if v_blocked <> '{}' and v_next.limits && v_blocked then
          for i in 1 .. cardinality(v_next.limits) loop
            if v_next.limits[i] = any (v_blocked) then
              if v_next.weights[i] > 1 then
                perform berth.reserve(v_next.limits, v_next.weights, i,
                                      berth.line_of(p_queue, p_priority, v_next.type, v_next.lane), p_now);
              end if;
              v_lane := berth.behind(v_next.limits[1 : i], v_next.weights[1 : i]);
              exit;
            end if;
          end loop;
          continue;
        end if;
        v_lanes := v_lanes || v_next;
        v_ahead := v_ahead || coalesce(p_basket.ahead[array_position(p_types, v_next.type)], 0);
        v_found := v_found + v_next.said_slots[cardinality(v_next.said_slots)];
        exit when cardinality(v_lanes) >= v_most;
      end loop;
    end loop;
    if v_lanes <> '{}' then
      v_taken := berth.take_slots(
        p_queue, p_priority, v_lanes, v_left, p_basket.ctids || p_basket.standbys, p_left || p_basket.paced, p_now, v_ahead,
        p_basket.room);
      p_basket.ctids := p_basket.ctids || v_taken.ctids;
      p_basket.held := p_basket.held || v_taken.held;
      p_basket.standbys := p_basket.standbys || v_taken.standbys;
      p_basket.room := p_basket.room - cardinality(v_taken.ctids) - cardinality(v_taken.standbys);
      p_basket.paced := p_basket.paced || v_taken.paced;
      p_basket.again := least(p_basket.again, v_taken.again);
      -- Where lanes are short and most of these could not be had, others are busy here: on from somewhere else, once.
      if v_way = 'lock' and not v_jumped and 2 * cardinality(v_taken.ctids) < least(v_left, cardinality(v_lanes)) then
        v_jumped := true;
        select l.type, l.lane into v_next from berth.some_lane(p_queue, p_priority) l;
        if v_next.lane is not null then
          v_type := v_next.type;
          v_lane := v_next.lane;
          v_start := array[v_type, v_lane];
          v_wrapped := false;
          v_around := false;
        end if;
      end if;
      v_left := least(v_left - cardinality(v_taken.ctids), p_basket.room);
      v_least := 20;
      v_blocked := v_blocked || v_taken.blocked;
      v_waits := v_waits || v_taken.waits;
      if v_taken.reached is not null then  -- the next claim begins behind it, whatever else was looked at
        p_basket.cursor := v_taken.reached || E'\n' || p_priority;
        v_reached := true;
      end if;
    end if;
  end loop;
  p_basket.more := p_basket.more or v_left = 0 or not v_around;
  if not v_reached then
    p_basket.cursor := v_type || E'\n' || v_lane || E'\n' || p_priority;
  end if;
  -- Where most of what was read is dead, the session shall know where the long lanes begin.
  if v_floored or berth.lane_entries_read() - v_entries > 5000 + 20 * p_size then
    p_basket.seen := coalesce(p_basket.seen, '{}') || array(
      select unnest(array[berth.line_of(p_queue, p_priority, h.type, h.lane),
                          (extract(epoch from h.position) * 1000000)::bigint::text])
        from unnest(v_seen) as h
       where not v_floored or exists (select from unnest(v_floors) as f where f.type = h.type and f.lane = h.lane));
  end if;
  if 2 * v_left > p_size and v_waits <> '{}' then  -- who finds enough elsewhere does not wait
    -- Who has its part does not: if all of those asked for more, slots would go back and forth.
    v_held := array(select unnest(h.held) from unnest(p_basket.held) as h);
    perform berth.wait_for(
      p_session,
      array(select unnest(v_waits)
            except select b.key from berth.beyond_part(p_session, v_waits, v_held, p_running) b where b.count >= 0),
      p_now);
  end if;
  return p_basket;
end $$;

-- How many entries of task_lane this transaction has read so far, dead ones among them.
create function berth.lane_entries_read() returns bigint language sql as $$
  select pg_catalog.pg_stat_get_xact_tuples_returned('berth.task_lane'::regclass)
$$;

-- Any lane of one level with tasks that wait, from a block of the table that chance picks; null: there was none.
create function berth.some_lane(p_queue text, p_priority smallint, out type text, out lane text) language plpgsql as $$
declare
  v_block bigint := floor(random() * pg_relation_size('berth.task') / current_setting('block_size')::integer);
begin
  select t.type, t.lane into some_lane.type, some_lane.lane
    from berth.task t
   where t.ctid = any (array(select format('(%s,%s)', v_block, i)::tid from generate_series(1, 30) as i))
     and t.queue = p_queue and t.priority = p_priority and t.state::text = 'ready' and t.lane is not null
   limit 1;
end $$;

-- Whether a limit has no free slot, by a look without locks.
create function berth.is_full(p_key text) returns boolean language plpgsql as $$
declare
  v_limit record := berth.limit_of(p_key);
begin
  return coalesce(v_limit.stopped, false)
      or v_limit.slots is not null and exists (select from berth.slot_group g where g.key = p_key)
         and not exists (select from berth.slot_group g where g.key = p_key and g.used < g.capacity);
end $$;

-- The place behind all lanes that begin with these limits.
create function berth.behind(p_keys text[], p_weights integer[]) returns text language sql immutable as $$
  select string_agg(replace(replace(k.key, ' ', '%20'), '*', '%2A') || case when k.weight > 1 then '*' || k.weight else '' end,
                    ' ' order by k.number) || '!'
    from unnest(p_keys, p_weights) with ordinality as k (key, weight, number)
$$;

-- The short way for lanes of one task each under a key of its own, such as one import at a time for each customer. The row
-- of such a key comes with the task and goes with it; where there is none nobody uses the key. rest: keys in use, or with
-- anything special about them.
create function berth.take_keys(
  p_lanes berth.lane_head[], p_size integer, p_left text[],
  out ctids tid[], out held berth.holding[], out reached text, out rest berth.lane_head[]
) language plpgsql as $$
declare
  v_prefix text;
  v_slots  integer;
  v_own    boolean := exists (select from berth.task_limit l where split_part(l.key, '/', 4) <> '');
  v_last   bigint;
begin
  -- What is usual here: the rule of the first one.
  select r.key || '/', r.slots into v_prefix, v_slots
    from (select h.limits[1] as key from unnest(p_lanes) as h where h.single is not null limit 1) h
    join lateral (select * from berth.task_limit l where l.key = berth.rule_of(h.key)) r
      on r.slots > 0 and not r.paused and r.pace is null and coalesce(r.submit_slots, r.code_slots) is not null
   where split_part(h.key, '/', 4) <> '';
  with lane as materialized (
    select h.*, h.limits[1] as key,
           coalesce(h.single is not null and h.weights = '{1}' and starts_with(h.limits[1], v_prefix)
                    and h.limits[1] <> all (p_left) and o.key is null and g.key is null, false) as usual
      from unnest(p_lanes) with ordinality as h (type, lane, limits, weights, said_slots, position, single, number)
      left join lateral (  -- a limit, so that it is not asked at all where no key has a row of its own
        select l.key from berth.task_limit l where v_own and l.key = h.limits[1] limit 1) o on true
      left join lateral (select g.key from berth.slot_group g where g.key = h.limits[1] limit 1) g on true
  ), alone as materialized (
    select l.key, l.number, l.single
      from lane l
     where l.usual
       and pg_try_advisory_xact_lock(19770525, hashtext(l.key))  -- who makes the same row would wait: the second goes without
     limit p_size
  ), made as (
    insert into berth.slot_group as g (key, number, capacity, used) select a.key, 1, v_slots, 1 from alone a
    on conflict do nothing
    returning g.key
  ), taken as (
    select a.* from alone a where (a.key in (select m.key from made m)) is true  -- by a hash table, not a join
  )
  select coalesce((select array_agg(t.single) from taken t), '{}'),
         coalesce((select array_agg((array[(t.key, 1, 1)::berth.slots_held], '-infinity')::berth.holding) from taken t), '{}'),
         (select max(t.number) from taken t),
         coalesce((select array_agg((l.type, l.lane, l.limits, l.weights, l.said_slots, l.position, l.single)::berth.lane_head)
                     from lane l where not l.usual), '{}')
    into ctids, held, v_last, rest;
  if v_last is not null then
    reached := p_lanes[v_last].type || E'\n' || p_lanes[v_last].lane;
  end if;
end $$;

-- Locks tasks of these lanes, in their order, and takes slots for them, all or nothing for each task. p_locked: tasks that
-- this exchange has locked already, for it does not skip its own locks.
-- blocked: limits without any free slot. waits: those, and limits without enough for a heavy task.
create function berth.take_slots(
  p_queue text, p_priority smallint, p_lanes berth.lane_head[], p_size integer, p_locked tid[], p_left text[],
  p_now timestamptz,
  p_ahead integer[],  -- how many standbys to add to each slot of each lane; null: none,
  p_most integer,     --   and how many tasks with all standbys
  out ctids tid[], out held berth.holding[], out standbys tid[], out paced text[], out blocked text[], out waits text[], out again timestamptz,
  out reached text  -- the last lane from which a task may start, as type and lane
) language plpgsql as $$
declare
  v_keys   text[] := '{}';          -- the limits of all lanes;
  v_key    integer[] := '{}';       -- the needs of all lanes one after another: the place of the key,
  v_weight integer[] := '{}';       --   and how many slots of it;
  v_first  integer[] := '{1}';      --   where those of each lane begin
  v_head   berth.lane_head;
  v_limit  record;
  v_slots  integer[];               -- per key: how many slots the limit has, null: it does not limit,
  v_free   bigint[];                --   how many are free,
  v_paced  boolean[];               --   whether it is paced,
  v_want   bigint[];                --   how many slots the tasks at hand could take,
  v_next   integer[];               --   the first of its groups with room
  v_can    integer[] := '{}';       -- per lane: how many tasks could start,
  v_starts integer[];               --   and how many do
  v_spare  tid[] := '{}';           -- tasks that could not start after all,
  v_spares integer[] := '{}';       --   and their lanes
  v_most   bigint;
  v_i      integer;
  v_lane   integer;
  v_last   integer;
  v_tasks  record;
  v_seek   bigint[];                --   how many of them are to be found in rows that are there already
  v_group  integer[];               -- the groups that are locked, key by key: the place of the key,
  v_number integer[];               --   their number,
  v_places tid[];                   --   where their rows are,
  v_used   integer[];               --   how many slots of them others use,
  v_stored integer[];               --   what their rows say of it,
  v_full   integer[];               --   how many slots they had for us,
  v_room   integer[];               --   and how many of those they have left
  v_part   integer[];               -- what one task takes: group, slots, group, slots;
  v_hold   berth.slots_held[];      --   the same by name
  v_need   integer;
  v_at     integer;
  v_took   integer;
begin
  ctids := '{}';
  held := '{}';
  standbys := '{}';
  paced := '{}';
  blocked := '{}';
  waits := '{}';
  if exists (select from unnest(p_lanes) as l where l.single is not null) then
    select t.ctids, t.held, t.reached, t.rest into ctids, held, reached, p_lanes
      from berth.take_keys(p_lanes, p_size, p_left) t;
    p_size := p_size - cardinality(ctids);
    p_most := p_size;
    p_ahead := null;
    if p_lanes = '{}' then
      return;
    end if;
  end if;
  foreach v_head in array p_lanes loop
    for n in 1 .. cardinality(v_head.limits) loop
      v_i := array_position(v_keys, v_head.limits[n]);
      if v_i is null then
        v_keys := v_keys || v_head.limits[n];
        v_i := cardinality(v_keys);
      end if;
      v_key := v_key || v_i;
    end loop;
    v_weight := v_weight || v_head.weights;
    v_first := v_first || cardinality(v_key) + 1;
  end loop;

  -- What each limit allows, by a look without locks.
  loop
    select array_agg(n.slots order by k.place) as slots,
           array_agg(case when n.paused or n.slots = 0 then 0 when n.slots is null then 2147483647
                          when n.pace is not null and (n.next_start_at > p_now or k.key = any (p_left)) then 0
                          else greatest(0, coalesce(g.free, n.slots) - cardinality(array_positions(p_left, k.key))) end
                     order by k.place) as free,
           array_agg(n.pace is not null order by k.place) as paced,
           array_agg(g.free is null order by k.place) as bare,  -- without a row
           min(n.next_start_at) filter (where n.pace is not null and n.next_start_at > p_now) as again,
           bool_and(n.known) as known, bool_or(split_part(k.key, '/', 4) <> '') as keyed,
           coalesce(bool_or(o.reserved_until > p_now), false) as reserved
      into v_limit
      from unnest(v_keys) with ordinality as k (key, place)
      left join lateral (select * from berth.task_limit l where l.key = k.key) o on true
      left join lateral (select * from berth.task_limit l
                          where split_part(k.key, '/', 4) <> '' and l.key = berth.rule_of(k.key)) r on true
     cross join lateral (
       select case when split_part(k.key, '/', 4) = '' then o.slots else coalesce(o.override_slots, r.slots) end as slots,
              coalesce(o.paused, false) or coalesce(r.paused, false) as paused,
              coalesce(r.pace, o.pace) as pace, coalesce(r.next_start_at, o.next_start_at) as next_start_at,
              coalesce(r.submit_slots, r.code_slots, o.submit_slots, o.code_slots) is not null
                or coalesce(r.removed, o.removed, false) as known) n
      left join lateral (select sum(greatest(0, least(g.capacity, n.slots) - g.used)) as free
                           from berth.slot_group g where g.key = k.key) g on true;
    exit when v_limit.known;
    perform berth.make_limits(p_lanes);
  end loop;
  v_slots := v_limit.slots;
  v_free := v_limit.free;
  again := v_limit.again;
  v_want := array_fill(0, array[cardinality(v_keys)]);
  v_paced := v_limit.paced;
  for v_lane in 1 .. cardinality(p_lanes) loop
    v_most := p_size;
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_i := v_key[n];
      if v_paced[v_i] or v_slots[v_i] is null then  -- a start must not follow at once; or needs no slot
        p_ahead[v_lane] := 0;
      end if;
      v_most := least(v_most, case when v_paced[v_i] then least(v_free[v_i] / v_weight[n], 1)
                                   else v_free[v_i] / v_weight[n] end);
      if v_most = 0 then
        waits := waits || v_keys[v_i];
        if v_free[v_i] = 0 then
          blocked := blocked || v_keys[v_i];
        end if;
        if v_weight[n] > 1 then
          perform berth.reserve(p_lanes[v_lane].limits, p_lanes[v_lane].weights, n - v_first[v_lane] + 1, berth.line_of(
            p_queue, p_priority, p_lanes[v_lane].type, p_lanes[v_lane].lane), p_now);
        end if;
        exit;
      end if;
    end loop;
    v_can := v_can || v_most::integer;
  end loop;
  if v_limit.reserved then
    v_can := berth.leave_to_heavy(p_queue, p_priority, p_lanes, v_can, p_now);
  end if;
  if p_size = 0 or 0 = all (v_can) then
    return;
  end if;

  -- Tasks first: slots are only taken for what can start.
  if p_ahead is null or v_limit.reserved or 0 = all (p_ahead) then
    p_most := p_size;
    p_ahead := array_fill(0, array[cardinality(v_can)]);
  end if;
  select array_agg(w.ctid) filter (where w.place <= w.can) as ctids,
         array_agg(w.number) filter (where w.place <= w.can) as lanes,
         array_agg(w.ctid) filter (where w.place > w.can) as standbys,
         array_agg(w.number) filter (where w.place > w.can) as standby_lanes
    into v_tasks
    from (select n.ctid, l.number::integer as number, l.can, n.place
            from (select least(l.can, 1 + p_most / (1 + l.ahead)) as can, l.ahead, l.number
                    from unnest(v_can, p_ahead) with ordinality as l (can, ahead, number)) l
           cross join lateral (
             select n.ctid, row_number() over () as place
               from (select n.ctid from berth.task n
                      where n.queue = p_queue and n.priority = p_priority and n.type = p_lanes[l.number].type
                        and n.lane = p_lanes[l.number].lane and n.state = 'ready' and n.lane is not null
                        and n.position >= p_lanes[l.number].position and n.ctid <> all (p_locked)
                      order by n.position, n.id limit least(p_most, l.can * (1 + l.ahead))
                        for update skip locked) n) n
           where l.can > 0
           limit p_most) w;
  if v_tasks.ctids is null then
    return;
  end if;
  foreach v_lane in array v_tasks.lanes loop
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_want[v_key[n]] := v_want[v_key[n]] + v_weight[n];
    end loop;
  end loop;

  -- The rows of keys that nobody uses yet, which begin with all that is wanted. Two who make the same one would have to
  -- wait: the second goes without.
  v_seek := v_want;
  if v_limit.keyed then
    with made as (
      insert into berth.slot_group as g (key, number, capacity, used)
      select k.key, 1, k.slots, least(k.want, k.slots)
        from unnest(v_keys, v_slots, v_want, v_limit.bare) as k (key, slots, want, bare)
       where k.want > 0 and k.slots > 0 and k.bare and split_part(k.key, '/', 4) <> ''
         and pg_try_advisory_xact_lock(19770525, hashtext(k.key))
      on conflict do nothing
      returning g.key, g.used, g.ctid
    )
    select array_agg(array_position(v_keys, m.key)), array_agg(1), array_agg(0), array_agg(m.used), array_agg(m.used), array_agg(m.ctid)
      into v_group, v_number, v_used, v_stored, v_room, v_places from made m;
    foreach v_i in array coalesce(v_group, '{}') loop
      v_seek[v_i] := 0;
    end loop;
  end if;

  -- Then as many groups with room as are wanted, beginning at a place of our own. The row of a key that was made while its
  -- rule was lowered may say more than the rule does: the lower number counts.
  if 0 < any (v_seek) then
    select v_group || array_agg(k.place::integer), v_number || array_agg(l.number), v_used || array_agg(l.used),
           v_stored || array_agg(l.used), v_room || array_agg(greatest(0, least(l.capacity, k.slots) - l.used)),
           v_places || array_agg(l.ctid)
      into v_group, v_number, v_used, v_stored, v_room, v_places
      from unnest(v_keys, v_seek, v_slots) with ordinality as k (key, want, slots, place)
     cross join lateral (
       select g.ctid as place,
              sum(g.capacity - g.used) over (order by (g.number + pg_backend_pid()) % 50, g.number)
                - (g.capacity - g.used) as before
         from berth.slot_group g
        where k.want > 0 and g.key = k.key and g.used < g.capacity) r
     cross join lateral (
       select g.number, g.used, g.capacity, g.ctid from berth.slot_group g
        where r.before < k.want and g.ctid = r.place and g.used < g.capacity
          for update skip locked) l;
  end if;
  v_full := v_room;
  v_next := array_fill(0, array[cardinality(v_keys)]);
  for n in reverse coalesce(cardinality(v_group), 0) .. 1 loop
    v_next[v_group[n]] := n;  -- its first group, for they come key by key
  end loop;

  -- Starts under a paced limit come one by one, whoever asks.
  for v_i in 1 .. cardinality(v_keys) loop
    if v_paced[v_i] and v_want[v_i] > 0 then
      perform from berth.task_limit l
        where l.key = berth.rule_of(v_keys[v_i]) and coalesce(l.next_start_at, '-infinity') <= p_now for update skip locked;
      v_free[v_i] := case when found then 1 else 0 end;
    end if;
  end loop;

  v_starts := array_fill(0, array[cardinality(p_lanes)]);
  for t in 1 .. cardinality(v_tasks.ctids) loop
    v_lane := v_tasks.lanes[t];
    if p_size = 0 then
      v_spare := v_spare || v_tasks.ctids[t];
      v_spares := v_spares || v_lane;
      continue;
    end if;
    v_part := '{}';
    v_hold := '{}';
    v_need := 0;
    for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
      v_i := v_key[n];
      v_need := case when v_paced[v_i] and v_free[v_i] = 0 then 1 when v_slots[v_i] is null then 0 else v_weight[n] end;
      exit when v_paced[v_i] and v_free[v_i] = 0;
      v_at := v_next[v_i];
      while v_need > 0 and v_group[v_at] = v_i loop
        if v_room[v_at] > 0 then
          v_took := least(v_need, v_room[v_at]);
          v_part := v_part || array[v_at, v_took];
          v_hold := v_hold || (v_keys[v_i], v_number[v_at], v_took)::berth.slots_held;
          v_room[v_at] := v_room[v_at] - v_took;
          v_need := v_need - v_took;
        end if;
        v_at := v_at + 1;
      end loop;
      exit when v_need > 0;
    end loop;
    if v_need = 0 then
      ctids := ctids || v_tasks.ctids[t];
      held := held || (v_hold, case when p_lanes[v_lane].single is not null then '-infinity'::timestamptz end)::berth.holding;
      v_last := v_lane;
      p_size := p_size - 1;
      v_starts[v_lane] := v_starts[v_lane] + 1;
      if v_limit.reserved then
        perform berth.end_reservation(p_lanes[v_lane].limits, berth.line_of(
          p_queue, p_priority, p_lanes[v_lane].type, p_lanes[v_lane].lane));
      end if;
      for n in v_first[v_lane] .. v_first[v_lane + 1] - 1 loop
        if v_paced[v_key[n]] then
          v_free[v_key[n]] := 0;
          paced := paced || berth.rule_of(v_keys[v_key[n]]);
        end if;
        while v_room[v_next[v_key[n]]] = 0 and v_group[v_next[v_key[n]] + 1] = v_key[n] loop
          v_next[v_key[n]] := v_next[v_key[n]] + 1;
        end loop;
      end loop;
    else  -- what it took of its other limits
      v_spare := v_spare || v_tasks.ctids[t];
      v_spares := v_spares || v_lane;
      for p in 1 .. cardinality(v_part) by 2 loop
        v_room[v_part[p]] := v_room[v_part[p]] + v_part[p + 1];
      end loop;
    end if;
  end loop;

  if v_last is not null then
    reached := p_lanes[v_last].type || E'\n' || p_lanes[v_last].lane;
  end if;

  -- Standbys go with the slots that were taken: the next ones of their lanes, so that none is passed over.
  if v_spare = '{}' then
    standbys := coalesce(v_tasks.standbys, '{}');
  elsif 0 < any (p_ahead) then
    standbys := array(
      select s.ctid
        from (select s.ctid, s.lane, row_number() over (partition by s.lane order by s.number) as place
                from unnest(v_spare || v_tasks.standbys, v_spares || v_tasks.standby_lanes) with ordinality as s (ctid, lane, number)) s
       where s.place <= v_starts[s.lane] * p_ahead[s.lane]);
  end if;

  update berth.slot_group g set used = u.used + u.had - u.room
    from unnest(v_places, v_used, v_stored, v_full, v_room) as u (ctid, used, stored, had, room)
   where g.ctid = u.ctid and u.stored <> u.used + u.had - u.room;
  if v_limit.keyed then  -- a row was made for a key, and then nothing started
    delete from berth.slot_group g
     using unnest(v_places, v_used, v_full, v_room, v_group) as u (ctid, used, had, room, key)
     where g.ctid = u.ctid and u.used = 0 and u.had = u.room and split_part(v_keys[u.key], '/', 4) <> '';
  end if;
end $$;

-- Gives slots back, of any number of tasks.
create function berth.give_back(p_held berth.slots_held[]) returns void language plpgsql as $$
declare
  v_gone   text[];
  v_groups record;
  v_key    text;
  v_excess integer;
  v_group  record;
begin
  -- The row of a key goes with the last task that uses it.
  if exists (select from unnest(p_held) as u where split_part(u.key, '/', 4) <> '') then
    with gone as (
      delete from berth.slot_group g
       using (select u.key, u.number, sum(u.count) as count
                from unnest(p_held) as u where split_part(u.key, '/', 4) <> ''
               group by u.key, u.number order by u.key, u.number) h
       where g.key between h.key and h.key and g.number = h.number and g.used = h.count
      returning g.key || ' ' || g.number as name
    )
    select array_agg(g.name) into v_gone from gone g;
  end if;
  select array_agg(g.ctid) as ctids, array_agg(g.used - h.count) as used
    into v_groups
    from (select u.key, u.number, sum(u.count)::integer as count
            from unnest(p_held) as u where (u.key || ' ' || u.number in (select unnest(v_gone))) is not true
           group by u.key, u.number order by u.key, u.number) h
   cross join lateral (
     select g.ctid, g.used from berth.slot_group g where g.key = h.key and g.number = h.number for update) g;
  update berth.slot_group g set used = u.used
    from unnest(v_groups.ctids, v_groups.used) as u (ctid, used)
   where g.ctid = u.ctid;

  -- A limit that drains: what comes back pays off the excess before it is free.
  for v_key, v_excess in
    select l.key, l.excess from berth.task_limit l
     where l.key in (select h.key from unnest(p_held) as h) and l.excess > 0 order by l.key for update
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
end $$;

-- By how many slots a session has more than its part of these limits, given how many share them; less than 0: it has less.
-- Only for limits of which it has some. p_held: what it is about to hold. p_running: its leases under limits, but for
-- those younger than the last of these; null: unknown. They are looked up one by one, for its part of the index is full of
-- dead entries while vacuum is held back.
create function berth.beyond_part(p_session bigint, p_keys text[], p_held berth.slots_held[], p_running bigint[])
returns table (key text, count bigint) language plpgsql as $$
declare
  v_behind bigint := coalesce(p_running[cardinality(p_running)], 0);
begin
  return query
    select h.key, sum(h.count) - (berth.limit_of(h.key)).slots
                                 / (1 + (select count(*) from berth.slot_waiter w
                                          where w.key = h.key and w.session_id <> p_session))
      from (select unnest(t.held) as h
              from unnest(p_running) as r (token)
             cross join lateral (
               select t.held from berth.task t
                where t.session_id = p_session and t.token = r.token and t.state = 'running' and t.held is not null limit 1) t
            union all
            select unnest(t.held) from berth.task t
             where t.session_id = p_session and t.token > v_behind and t.state = 'running' and t.held is not null
            union all
            select unnest(p_held)) t
     cross join lateral (select (t.h).*) h
     where h.key = any (p_keys) group by h.key;
end $$;

-- Notes that a session asked for slots of these limits in vain.
create function berth.wait_for(p_session bigint, p_keys text[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_known text[];
begin
  v_known := array(select w.key from berth.slot_waiter w where w.key = any (p_keys) and w.session_id = p_session);
  insert into berth.slot_waiter (key, session_id, seen_at)
  select distinct k, p_session, p_now from unnest(p_keys) as k where k <> all (v_known)
  on conflict do nothing;  -- holds of one session may ask at the same time
  update berth.slot_waiter w set seen_at = p_now
   where w.ctid = any (array(
     select v.ctid from berth.slot_waiter v
      where v.key = any (v_known) and v.session_id = p_session
        and (v.seen_at < p_now - interval '100 milliseconds' or v.seen_at <= v.served_at)
        for update skip locked));
end $$;

-- Of slots that were given back, the part of the other sessions which wait for them, as the key of each slot, and the
-- queues that those read. They are not retaken in this exchange: or a busy worker would keep them for ever. ours: if p_ask,
-- whether this session has a use for some of them too. p_over: limits of lanes that have no tasks left, null: all. If nothing else can be
-- under such a limit, nobody need look.
create function berth.leave_to_others(
  p_session bigint, p_given berth.slots_held[], p_over text[], p_ask boolean, p_now timestamptz, p_floors berth.lane_floor[],
  out keys text[], out queues text[], out ours boolean
) language plpgsql as $$
begin
  with given as (
    select g.key, sum(g.count)::integer as slots from unnest(p_given) as g group by g.key
  ), served as (
    update berth.slot_waiter w set served_at = p_now
     where w.ctid = any (array(
       select v.ctid from given g join berth.slot_waiter v on v.key = g.key join berth.session s on s.id = v.session_id
        where v.seen_at > v.served_at
          and (split_part(g.key, '/', 4) <> ''  -- whoever asked for the slots of a key saw a task that needs them
               or p_over is not null and g.key <> all (p_over) or berth.may_wait(g.key, s.queues, p_floors))
          for update of v skip locked))
    returning w.key, w.session_id
  ), left_over as (
    select g.key, berth.parts_of_others(g.slots, count(*)::integer) as parts
      from given g join served w on w.key = g.key and w.session_id <> p_session group by g.key, g.slots
  )
  select coalesce(array(select l.key from left_over l, generate_series(1, l.parts)), '{}'),
         coalesce(array(select distinct unnest(s.queues) from served w join berth.session s on s.id = w.session_id
                         where w.session_id <> p_session), '{}'),
         p_ask and (
           exists (select from served w where w.session_id = p_session)
           or p_over is not null and exists (select from given g where g.key <> all (p_over))
           or exists (select from (select distinct split_part(g.key, '/', 1) || '/' || split_part(g.key, '/', 2) as key
                                     from given g) g  -- once for all keys of a type
                       where berth.may_wait(g.key, (select s.queues from berth.session s where s.id = p_session), p_floors)))
    into keys, queues, ours;
end $$;

-- Whether ready tasks of these queues may be under this limit: that of a type holds for its tasks only.
create function berth.may_wait(p_key text, p_queues text[], p_floors berth.lane_floor[]) returns boolean language plpgsql as $$
declare
  v_type text := split_part(p_key, '/', 2);
begin
  if split_part(p_key, '/', 1) <> 'type' or position('%' in v_type) > 0 then
    return true;
  end if;
  if exists (select from unnest(p_floors) as f where f.type = v_type) then
    return exists (select from unnest(p_queues) as q (name), generate_series(0, 9) as l (level)
                    where berth.lanes_wait(q.name, l.level::smallint, v_type, p_floors));
  end if;
  return exists (select from berth.task t
                  where t.queue = any (p_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = v_type
                    and t.state = 'ready' and t.lane is not null);
end $$;
