-- The next lanes of one type, where lanes are short: those of the next p_rows tasks that nobody has locked. These are
-- locked, so that claimers who are in the same place pass each other by. lanes null: there are no more before p_until.
create function berth_private.lock_lanes(
  p_queue text, p_priority smallint, p_type text, p_lane text, p_until text, p_rows integer, out lanes berth_private.lane_head[]
) language plpgsql as $$
begin
  select array_agg((t.type, t.lane, t.limits, t.weights, t.said_slots, t.position,
                    case when t.count = 1 and t.number < p_rows then t.ctid end)::berth_private.lane_head)
           filter (where t.first)
    into lanes
    from (select t.*, row_number() over (partition by t.type, t.lane) = 1 as first,
                 count(*) over (partition by t.type, t.lane) as count
            from (select t.*, row_number() over () as number
                    from (select t.ctid, t.type, t.lane, t.limits, t.weights, t.said_slots, t.position
                            from berth_private.task t
                           where t.queue = p_queue and t.priority = p_priority and t.type = p_type and t.lane > p_lane
                             and t.lane < p_until and t.state = 'ready' and t.lane is not null
                           order by t.type, t.lane, t.position, t.id limit p_rows
                             for update skip locked) t) t) t;
  -- Nobody knows yet whether the last one is alone in its lane: the next read begins with it.
  if cardinality(lanes) > 1 and lanes[cardinality(lanes)].single is null then
    lanes := lanes[: cardinality(lanes) - 1];
  end if;
end $$;
