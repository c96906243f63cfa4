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

-- Goes through the lanes of one level, from the cursor once around. Lanes whose limits are full are passed over, and the
-- session is noted as waiting for them. p_left: limits that are left to others this time.
create function berth_private.claim_lanes(
  p_basket berth_private.basket, p_session bigint, p_queue text, p_priority smallint, p_types text[], p_size integer,
  p_left text[], p_now timestamptz, p_floors berth_private.lane_floor[], p_running bigint[]
) returns berth_private.basket language plpgsql as $$
declare
  v_end     constant text := '~';  -- behind all lanes, for keys begin with a letter
  v_floored boolean := exists (select from unnest(p_floors) as f where f.queue = p_queue and f.priority = p_priority);
  v_floors  berth_private.lane_floor[];
  v_until   text;
  v_seen    berth_private.lane_head[] := '{}';
  v_entries bigint := berth_private.lane_entries_read();
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
  v_heads   berth_private.lane_head[];
  v_next    berth_private.lane_head;
  v_lanes   berth_private.lane_head[];
  v_ahead   integer[];
  v_least   integer := 1;
  v_most    integer := 50;
  v_found   bigint;
  v_taken   record;
  v_blocked text[] := '{}';
  v_waits   text[] := '{}';
  v_shared  text;                -- the first limit of the last lane,
  v_asked   text[] := '{}';      --   and those that were asked whether they are full
  v_held    berth_private.slots_held[];
begin
  if v_floored then  -- those of this level, in the order of the index
    v_floors := array(
      select (p_queue, p_priority, f.type, f.lane, f.floor)::berth_private.lane_floor
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
        v_heads := berth_private.lock_lanes(p_queue, p_priority, v_type, v_lane, v_until, least(64, 2 + v_left + v_left / 4));
        if v_heads is null then  -- on to the lane with a floor, or to the next type
          v_lane := v_until;
          if v_until = v_end then
            v_way := 'read';
            continue;
          end if;
          select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position, null)::berth_private.lane_head)
            into v_heads
            from unnest(v_floors) as f
           cross join lateral (
             select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
               from berth_private.task t
              where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                and t.type = f.type and t.lane = f.lane and t.position >= f.floor
              order by t.position, t.id limit 1) t
           where f.type = v_type and f.lane = v_until;
          continue when v_heads is null;
        end if;
      else
        v_heads := case when v_floored
          then berth_private.next_lanes_by_floors(p_queue, p_priority, p_types, v_type, v_lane, v_floors)
          else berth_private.next_lanes(p_queue, p_priority, p_types, v_type, v_lane, v_way = 'probe') end;
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
        if cardinality(v_next.weights) is distinct from cardinality(v_next.limits) then  -- written by hand: it would not end
          raise exception 'Tasks of type % in the lane % have other than one weight for each limit', v_type, v_lane
            using errcode = 'invalid_parameter_value';
        end if;
        -- Two lanes that begin with the same limit: if it is full, there may be a thousand more.
        if v_next.limits[1] = v_shared and v_shared <> all (v_asked) then
          v_asked := v_asked || v_shared;
          if berth_private.is_full(v_shared) then
            v_blocked := v_blocked || v_shared;
            v_waits := v_waits || v_shared;
          end if;
        end if;
        v_shared := v_next.limits[1];
        if v_blocked <> '{}' and v_next.limits && v_blocked then
          for i in 1 .. cardinality(v_next.limits) loop
            if v_next.limits[i] = any (v_blocked) then
              if v_next.weights[i] > 1 then
                perform berth_private.reserve(v_next.limits, v_next.weights, i,
                                      berth_private.line_of(p_queue, p_priority, v_next.type, v_next.lane), p_now);
              end if;
              v_lane := berth_private.behind(v_next.limits[1 : i], v_next.weights[1 : i]);
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
      v_taken := berth_private.take_slots(
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
        select l.type, l.lane into v_next from berth_private.some_lane(p_queue, p_priority) l;
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
  if v_floored or berth_private.lane_entries_read() - v_entries > 5000 + 20 * p_size then
    p_basket.seen := coalesce(p_basket.seen, '{}') || array(
      select unnest(array[berth_private.line_of(p_queue, p_priority, h.type, h.lane),
                          (extract(epoch from h.position) * 1000000)::bigint::text])
        from unnest(v_seen) as h
       where not v_floored or exists (select from unnest(v_floors) as f where f.type = h.type and f.lane = h.lane));
  end if;
  if 2 * v_left > p_size and v_waits <> '{}' then  -- who finds enough elsewhere does not wait
    -- Who has its part does not: if all of those asked for more, slots would go back and forth.
    v_held := array(select unnest(h.held) from unnest(p_basket.held) as h);
    perform berth_private.wait_for(
      p_session,
      array(select unnest(v_waits)
            except select b.key from berth_private.beyond_part(p_session, v_waits, v_held, p_running) b where b.count >= 0),
      p_now);
  end if;
  return p_basket;
end $$;
