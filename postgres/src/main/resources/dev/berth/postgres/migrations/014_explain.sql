-- Explain: why a task does not run. For a person who asks, so nothing is kept for it: it reads what is there, and reads
-- little however much waits.

-- Who holds which slots. A running task names them, one of another state may still carry what it held last. A hold has
-- no task.
create view berth.slot_holder as
  select h.key, h.number, h.count, t.id as task_id, t.token, t.type, t.session_id
    from berth.task t cross join lateral unnest(t.held) as h (key, number, count)
   where t.state = 'running' and t.held is not null
  union all
  select h.key, h.number, h.count, null, o.token, null, o.session_id
    from berth.hold o cross join lateral unnest(o.held) as h (key, number, count);

-- How many ready tasks are under each limit, of the first p_most that are under any: one range of an index, however much
-- else waits.
create function berth.waiting_under(p_most integer) returns table (key text, tasks bigint) language sql stable
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  select k.key, count(*)
    from (select t.limits from berth.task t where t.state = 'ready' and t.lane is not null limit p_most) w
   cross join lateral unnest(w.limits) as k (key)
   group by k.key
$$;

-- How many ready tasks of its line stand before a task: of its queue and, under limits, its type and lane. Counts no further than p_most. Priority by priority,
-- so that each count is one range of an index that ends at the task.
create function berth.ahead(p_task berth.task, p_most integer) returns integer language plpgsql stable
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
        from (select from berth.task t
               where t.queue = p_task.queue and t.priority = v_priority and (t.position, t.id) < (v_until, p_task.id)
                 and t.state = 'ready' and t.lane is null and t.priority >= 0
               limit p_most - v_ahead) l;
    else
      select count(*) into v_count
        from (select from berth.task t
               where t.queue = p_task.queue and t.priority = v_priority and (t.position, t.id) < (v_until, p_task.id)
                 and t.type = p_task.type and t.lane = p_task.lane and t.state = 'ready' and t.lane is not null
               limit p_most - v_ahead) l;
    end if;
    v_ahead := v_ahead + v_count;
    exit when v_ahead >= p_most;
  end loop;
  return v_ahead;
end $$;

-- Recent history is read for the speed of a line, and nothing is sorted by time as history is. A block range index costs
-- an insert next to nothing.
create index task_history_ended on berth.task_history using brin (ended_at);

-- How often attempts of this line started of late, and since when. Looks at the last 10 seconds, then six times
-- as far back, until there are 20 starts, or it would have to read a million rows for more.
create function berth.recent_starts(
  p_task berth.task, p_now timestamptz, out starts bigint, out first_at timestamptz
) language plpgsql stable set enable_seqscan = off set enable_bitmapscan = on set jit = off as $$
declare
  v_window interval := '10 seconds';
  v_read   bigint;
begin
  loop
    select count(*), count(*) filter (where s.ours), min(s.started_at) filter (where s.ours)
      into v_read, starts, first_at
      from (select r.started_at,
                   r.started_at >= p_now - v_window and r.queue = p_task.queue and r.lane is not distinct from p_task.lane
                   and (r.lane is null or r.type = p_task.type) as ours
              from (select h.started_at, h.queue, h.type, h.lane
                      from berth.task_history h where h.ended_at >= p_now - v_window
                    union all
                    select t.started_at, t.queue, t.type, t.lane
                      from berth.task t where t.state = 'running' and not t.standby) r) s;
    exit when starts >= 20 or v_read > 150000 or v_window > interval '1 day';
    v_window := v_window * 6;
  end loop;
end $$;

-- Rows, by kind:
--   step          of a step that its workflow holds: key (the step that comes first), count (1: it has halted the workflow)
--   held          of a running task: key, number (the slot group), count
--   session       of a running task: count (the session)
--   not_due       at
--   queue_paused
--   no_worker
--   limit_paused  key
--   paced         key, at (when the next may start)
--   reserved      key
--   no_room       key, slots, used, count (how many it needs)
--   holder        of a limit without room, the oldest: key, number, count, holder (the task, if any), token, type, worker, at
--                 (when its session expires)
--   place         count (how many are before it, 10001: more), starts and since: how its line moved of late
-- Stable, and to be called in the statement that reads the task: then both see the same moment.
create function berth.explain(p_id uuid) returns table (
  kind text, key text, at timestamptz, slots integer, used bigint, number integer, count bigint, holder uuid, token bigint,
  type text, worker text, starts bigint, since interval
) language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_now   timestamptz := berth.now();
  v_task  berth.task;
  v_limit record;
  v_room  bigint;
begin
  select * into v_task from berth.task t where t.id = p_id;
  if not found then
    return;
  end if;
  if v_task.state = 'running' and not v_task.standby then
    kind := 'session';
    count := v_task.session_id;
    return next;
    kind := 'held';
    for key, number, count in
      select h.key, h.number, h.count from berth.slot_holder h where h.task_id = p_id order by h.key, h.number
    loop
      return next;
    end loop;
    return;
  end if;

  if v_task.state = 'held' then
    kind := 'step';
    select s.step, (s.state = 'HALTED')::integer into key, count from berth.workflow_turn(v_task.workflow) s;
    if key is distinct from v_task.step then
      return next;
    end if;
  end if;
  if v_task.state in ('held', 'waiting') and v_task.due_at > v_now then
    kind := 'not_due';
    at := v_task.due_at;
    return next;
  end if;
  if exists (select from berth.queue q where q.name = v_task.queue and q.paused) then
    kind := 'queue_paused';
    return next;
  end if;
  if not exists (select from berth.session s
                  where s.expires_at > v_now and v_task.type = any (s.types) and v_task.queue = any (s.queues)) then
    kind := 'no_worker';
    return next;
  end if;

  for i in 1 .. coalesce(cardinality(v_task.limits), 0) loop
    key := v_task.limits[i];
    select * into v_limit from berth.limit_of(key);
    slots := v_limit.slots;
    if slots is null
       and not exists (select from berth.task_limit l
                        where l.key = berth.rule_of(v_task.limits[i]) and (l.submit_slots is not null or l.removed)) then
      slots := v_task.said_slots[i];  -- it comes into being with the first claim
    end if;
    if v_limit.paused then
      kind := 'limit_paused';
      return next;
    end if;
    if v_limit.pace is not null and v_limit.next_start_at > v_now then
      kind := 'paced';
      at := v_limit.next_start_at;
      return next;
    end if;
    if berth.is_reserved(
         array[v_task.limits[i]], berth.line_of(v_task.queue, v_task.priority, v_task.type, v_task.lane), v_now) then
      kind := 'reserved';
      return next;
    end if;
    continue when slots is null;
    select coalesce(sum(g.used), 0), coalesce(sum(greatest(0, g.capacity - g.used)), slots) into used, v_room
      from berth.slot_group g where g.key = v_task.limits[i];
    if v_room < v_task.weights[i] then
      kind := 'no_room';
      count := v_task.weights[i];
      return next;
      kind := 'holder';
      for number, count, holder, token, type, worker, at in
        select min(h.number), sum(h.count), h.task_id, h.token, h.type, s.worker, s.expires_at
          from berth.slot_holder h join berth.session s on s.id = h.session_id
         where h.key = v_task.limits[i]
         group by h.task_id, h.token, h.type, s.worker, s.expires_at order by h.token limit 100
      loop
        return next;
      end loop;
    end if;
  end loop;

  if v_task.state in ('ready', 'running') then  -- running: a standby
    kind := 'place';
    count := berth.ahead(v_task, 10001);
    select r.starts, v_now - r.first_at into starts, since
      from berth.recent_starts(v_task, v_now) r;
    return next;
  end if;
end $$;
