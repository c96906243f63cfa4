-- How many ready tasks are under each limit, of the first p_most that are under any: one range of an index, however much
-- else waits.
create function berth_private.waiting_under(p_most integer) returns table (key text, tasks bigint) language sql stable
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  select k.key, count(*)
    from (select t.limits from berth_private.task t where t.state = 'ready' and t.lane is not null limit p_most) w
   cross join lateral unnest(w.limits) as k (key)
   group by k.key
$$;

-- How many ready tasks of its line stand before a task: of its queue and, under limits, its type and lane. Counts no
-- further than p_most. Priority by priority,
-- so that each count is one range of an index that ends at the task.
create function berth_private.ahead(p_task berth_private.task, p_most integer) returns integer language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_ahead integer := 0;
  v_count integer;
  v_until timestamptz := 'infinity';
begin
  for v_priority in reverse 9 .. p_task.priority loop
    if v_priority = p_task.priority then
      v_until := p_task.position;
    end if;
    if p_task.lane is null then
      select count(*) into v_count
        from (select from berth_private.task t
               where t.queue = p_task.queue and t.priority = v_priority and (t.position, t.id) < (v_until, p_task.id)
                 and t.state = 'ready' and t.lane is null and t.priority >= 0
               limit p_most - v_ahead) l;
    else
      select count(*) into v_count
        from (select from berth_private.task t
               where t.queue = p_task.queue and t.priority = v_priority and (t.position, t.id) < (v_until, p_task.id)
                 and t.type = p_task.type and t.lane = p_task.lane and t.state = 'ready' and t.lane is not null
               limit p_most - v_ahead) l;
    end if;
    v_ahead := v_ahead + v_count;
    exit when v_ahead >= p_most;
  end loop;
  return v_ahead;
end $$;

-- How often attempts of this line ended of late, and since when. Looks at the last 10 seconds, then six times as far back,
-- until there are 20 ends, or it would have to read a million rows for more. None where no slot came back for twice as long as
-- an attempt takes: what holds them now is not like what was before.
create function berth_private.recent_ends(
  p_task berth_private.task, p_now timestamptz, out ends bigint, out first_at timestamptz
) language plpgsql stable set enable_seqscan = off set enable_bitmapscan = on set jit = off as $$
declare
  v_window  interval := '10 seconds';
  v_read    bigint;
  v_last_at timestamptz;
  v_takes   interval;
begin
  loop
    select count(*), count(*) filter (where s.ours), min(s.ended_at) filter (where s.ours),
           max(s.ended_at) filter (where s.ours), avg(s.ended_at - s.started_at) filter (where s.ours)
      into v_read, ends, first_at, v_last_at, v_takes
      from (select h.started_at, h.ended_at,
                   h.started_at is not null and h.queue = p_task.queue and h.lane is not distinct from p_task.lane
                   and (h.lane is null or h.type = p_task.type) as ours
              from berth_private.task_history h where h.ended_at >= p_now - v_window) s;
    exit when ends >= 20 or v_read > 150000 or v_window > interval '1 day';
    v_window := v_window * 6;
  end loop;
  if p_now - v_last_at > greatest(interval '10 seconds', 2 * v_takes) then
    ends := 0;
  end if;
end $$;
