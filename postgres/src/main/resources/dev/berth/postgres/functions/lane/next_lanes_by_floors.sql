-- The same where floors are known: those of this level in their order, and behind them one at the end of all lanes. The
-- lanes between two floors, of the next 16 tasks there, then the lane with the second floor, and so on, for 16 floors.
--
-- What is between them ends in two conditions, on the type and on the lane: a comparison of rows, (type, lane) < (x, y), would
-- read the whole lane y.
create function berth_private.next_lanes_by_floors(
  p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_floors berth_private.lane_floor[],
  out lanes berth_private.lane_head[]
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
            from berth_private.task t
           where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
             and (t.type, t.lane) > (s.from_type, s.from_lane) and t.type < s.type
           order by t.type, t.lane, t.position, t.id limit 16)
         union all
         (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
            from berth_private.task t
           where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
             and t.type = s.type and t.lane > s.from_lane_of_type and t.lane < s.lane
           order by t.lane, t.position, t.id limit 16)
         limit 16) b
      union all
      select s.number, 2, k.*
        from segment s
       cross join lateral (
         select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
           from berth_private.task t
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
    select array_agg((h.type, h.lane, h.limits, h.weights, h.said_slots, h.position, null)::berth_private.lane_head
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
