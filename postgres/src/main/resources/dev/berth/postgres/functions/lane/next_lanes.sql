-- The next lanes of one level after this one, with the limits of their first tasks: those of the next 16 tasks, or, with
-- p_probe, the next 16 lanes by one probe each; or as many as it takes to find one of a type that this worker handles.
-- lanes null: there are no more.
create function berth_private.next_lanes(
  p_queue text, p_priority smallint, p_types text[], p_type text, p_lane text, p_probe boolean,
    out lanes berth_private.lane_head[]
) language plpgsql as $$
declare
  v_last text;
begin
  loop
    if p_probe then
      with recursive lane as (
        (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
           from berth_private.task t
          where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
            and (t.type, t.lane) > (p_type, p_lane)
          order by t.type, t.lane, t.position, t.id limit 1)
        union all
        select n.type, n.lane, n.limits, n.weights, n.said_slots, n.position
          from lane l
         cross join lateral (
           select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
             from berth_private.task t
            where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
              and (t.type, t.lane) > (l.type, l.lane)
            order by t.type, t.lane, t.position, t.id limit 1) n
      )
      select array_agg((l.type, l.lane, l.limits, l.weights, l.said_slots, l.position, null)::berth_private.lane_head)
               filter (where l.type = any (p_types)),
             max(l.type)
        into lanes, v_last
        from (select * from lane limit 16) l;
    else
      select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position, null)::berth_private.lane_head)
               filter (where t.first and t.type = any (p_types)), max(t.type)
        into lanes, v_last
        from (select t.*, row_number() over (partition by t.type, t.lane) = 1 as first
                from (select t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
                        from berth_private.task t
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
