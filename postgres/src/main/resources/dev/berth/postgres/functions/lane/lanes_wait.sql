-- Whether there are ready tasks in the lanes of one level, or of one type there.
create function berth_private.lanes_wait(
  p_queue text, p_priority smallint, p_type text, p_floors berth_private.lane_floor[]
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
    if exists (select from berth_private.task t
                where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                  and (t.type, t.lane) > (v_type, v_lane) and t.type < v_floor.type)
       or exists (select from berth_private.task t
                   where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                     and t.type = v_floor.type and t.lane > case when v_type = v_floor.type then v_lane else '' end
                     and t.lane < v_floor.lane)
       or exists (select from berth_private.task t
                   where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                     and t.type = v_floor.type and t.lane = v_floor.lane and t.position >= v_floor.floor) then
      return true;
    end if;
    v_type := v_floor.type;
    v_lane := v_floor.lane;
  end loop;
  return exists (select from berth_private.task t
                  where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                    and t.type = v_type and t.lane > v_lane)
      or p_type is null
         and exists (select from berth_private.task t
                      where t.queue = p_queue and t.priority = p_priority and t.state = 'ready' and t.lane is not null
                        and t.type > v_type);
end $$;

-- Whether a type has no ready tasks in other lanes than this, at least where this session could claim them.
create function berth_private.only_lane_of_type(
  p_session bigint, p_queue text, p_priority smallint, p_type text, p_lane text
) returns boolean language plpgsql as $$
declare
  v_queues text[];
begin
  select s.queues into v_queues
    from berth_private.session s where s.id between p_session and p_session order by s.id desc limit 1;
  return not exists (select from berth_private.task t
                      where t.queue = any (v_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = p_type
                        and t.lane < p_lane and t.state = 'ready' and t.lane is not null)
     and not exists (select from berth_private.task t
                      where t.queue = any (v_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = p_type
                        and t.lane > p_lane and t.state = 'ready' and t.lane is not null)
     and not exists (select from unnest(v_queues) as q (name), generate_series(0, 9) as p (number)
                      cross join lateral (
                        select from berth_private.task t
                         where t.queue = q.name and t.priority = p.number::smallint and t.type = p_type and t.lane = p_lane
                           and t.state = 'ready' and t.lane is not null limit 1) t
                      where (q.name, p.number) <> (p_queue, p_priority));
end $$;

-- Whether ready tasks of these queues may be under this limit: that of a type holds for its tasks only.
create function berth_private.may_wait(p_key text, p_queues text[], p_floors berth_private.lane_floor[]) returns boolean
language plpgsql as $$
declare
  v_type text := split_part(p_key, '/', 2);
begin
  if split_part(p_key, '/', 1) <> 'type' or position('%' in v_type) > 0 then
    return true;
  end if;
  if exists (select from unnest(p_floors) as f where f.type = v_type) then
    return exists (select from unnest(p_queues) as q (name), generate_series(0, 9) as l (level)
                    where berth_private.lanes_wait(q.name, l.level::smallint, v_type, p_floors));
  end if;
  return exists (select from berth_private.task t
                  where t.queue = any (p_queues) and t.priority = any ('{0,1,2,3,4,5,6,7,8,9}') and t.type = v_type
                    and t.state = 'ready' and t.lane is not null);
end $$;
