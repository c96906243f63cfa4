-- Whether a task waits there; a hold waits for as long as it asks.
create function berth_private.is_wanted(p_line text) returns boolean language plpgsql stable as $$
declare
  v_line text[] := string_to_array(p_line, E'\n');
begin
  return cardinality(v_line) = 1 or exists (
    select from berth_private.task t
     where t.queue = v_line[1] and t.priority = v_line[2]::smallint and t.type = v_line[3] and t.lane = v_line[4]
       and t.state = 'ready' and t.lane is not null);
end $$;

-- p_for, which is under these limits, asked in vain for slots of the one at p_at. It does not reserve them while it would
-- have to wait for another limit all the same. A row that is locked is not waited for: it asks again.
create function berth_private.reserve(
  p_keys text[], p_weights integer[], p_at integer, p_for text, p_now timestamptz
) returns void language plpgsql as $$
declare
  v_key    text := p_keys[p_at];
  v_weight integer := p_weights[p_at];
begin
  if v_weight = 1 or exists (select from unnest(p_keys, p_weights) as k (key, weight)
                              where k.weight = 1 and berth_private.is_full(k.key)) then
    return;
  end if;
  perform from berth_private.task_limit l
    where l.key = v_key and l.slots >= v_weight and not l.paused
      and (l.reserved_for is null or l.reserved_until <= p_now
           or l.reserved_for = p_for and l.reserved_until < p_now + interval '2.5 seconds')
      for update skip locked;
  if found then
    update berth_private.task_limit l
       set reserved_for = p_for, reserved_until = p_now + interval '3 seconds',
           reserved_from = case when l.reserved_until > p_now then l.reserved_from else p_now + interval '1 second' end
     where l.key = v_key;
  end if;
end $$;

-- It has started.
create function berth_private.end_reservation(p_keys text[], p_for text) returns void language plpgsql as $$
declare
  v_keys text[] := array(select l.key from berth_private.task_limit l
                          where l.key = any (p_keys) and l.reserved_for = p_for for update skip locked);
begin
  if v_keys <> '{}' then
    update berth_private.task_limit l set reserved_for = null, reserved_from = null, reserved_until = null
      where l.key = any (v_keys);
  end if;
end $$;

-- Whether these limits are left to another.
create function berth_private.is_reserved(p_keys text[], p_for text, p_now timestamptz) returns boolean language sql stable as $$
  select coalesce(bool_and(l.reserved_for <> p_for), false)
    from berth_private.task_limit l
   where l.key = any (p_keys) and p_now between l.reserved_from and l.reserved_until and berth_private.is_wanted(l.reserved_for)
$$;

-- How many tasks may start of each of these lanes, if so many could.
create function berth_private.leave_to_heavy(
  p_queue text, p_priority smallint, p_lanes berth_private.lane_head[], p_can integer[], p_now timestamptz
) returns integer[] language sql stable as $$
  select array_agg(case
    when berth_private.is_reserved(h.limits, berth_private.line_of(p_queue, p_priority, h.type, h.lane), p_now) then 0
                        else p_can[h.number] end order by h.number)
    from unnest(p_lanes) with ordinality as h (type, lane, limits, weights, said_slots, position, single, number)
$$;
