-- Lanes: how work under limits is looked at.
--
-- LANES. Tasks of one type under the same limits wait in one lane. A claim goes from lane to lane by task_lane, from the
-- cursor where the last one ended, once around. It reads some tasks at a time where lanes are short, and passes over those
-- that others have locked; else it probes for one lane after the other, and a million blocked tasks cost one read. Behind a
-- full limit all lanes that begin with it are passed over in one hop, for in the name of a lane its limits stand from the
-- most to the least shared.
--
-- FLOORS. A claim leaves a dead entry in task_lane, and while any transaction holds vacuum back it stays. The session knows
-- how far it has come in the lanes from which it claims much, and a look goes on from there: it reads the lanes between two
-- such floors, and then the lane of the second from its floor on. What appears behind a floor is found when the whole
-- queue is scanned, without floors.

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

-- The place behind all lanes that begin with these limits.
create function berth.behind(p_keys text[], p_weights integer[]) returns text language sql immutable as $$
  select string_agg(replace(replace(k.key, ' ', '%20'), '*', '%2A') || case when k.weight > 1 then '*' || k.weight else '' end,
                    ' ' order by k.number) || '!'
    from unnest(p_keys, p_weights) with ordinality as k (key, weight, number)
$$;

-- Whether a limit has no free slot, by a look without locks.
create function berth.is_full(p_key text) returns boolean language plpgsql as $$
declare
  v_limit record := berth.limit_of(p_key);
begin
  return coalesce(v_limit.stopped, false)
      or v_limit.slots is not null and exists (select from berth.slot_group g where g.key = p_key)
         and not exists (select from berth.slot_group g where g.key = p_key and g.used < g.capacity);
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
