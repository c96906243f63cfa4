-- Explain: why a task does not run. For a person who asks, so nothing is kept for it: it reads what is there, and reads
-- little however much waits.

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
--                 (when its session expires), began
--   place         count (how many are before it, 10001: more), ends and since: how its line moved of late
-- Stable, and to be called in the statement that reads the task: then both see the same moment.
create function berth.explain(p_id uuid) returns table (
  kind text, key text, at timestamptz, slots integer, used bigint, number integer, count bigint, holder uuid, token bigint,
  type text, worker text, began timestamptz, ends bigint, since interval
) language plpgsql stable set enable_seqscan = off set jit = off
  security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now   timestamptz := berth_private.now();
  v_task  berth_private.task;
  v_limit record;
  v_room  bigint;
begin
  select * into v_task from berth_private.task t where t.id = p_id;
  if not found then
    return;
  end if;
  if v_task.state = 'running' and not v_task.standby then
    kind := 'session';
    count := v_task.session_id;
    return next;
    kind := 'held';
    for key, number, count in
      select h.key, h.number, h.count from berth_private.slot_holder h where h.task_id = p_id order by h.key, h.number
    loop
      return next;
    end loop;
    return;
  end if;

  if v_task.state = 'held' then
    kind := 'step';
    select s.step, (s.state = 'HALTED')::integer into key, count from berth_private.workflow_turn(v_task.workflow) s;
    if key is distinct from v_task.step then
      return next;
    end if;
  end if;
  if v_task.state in ('held', 'waiting') and v_task.due_at > v_now then
    kind := 'not_due';
    at := v_task.due_at;
    return next;
  end if;
  if exists (select from berth_private.queue q where q.name = v_task.queue and q.paused) then
    kind := 'queue_paused';
    return next;
  end if;
  if not exists (select from berth_private.session s
                  where s.expires_at > v_now and v_task.type = any (s.types) and v_task.queue = any (s.queues)) then
    kind := 'no_worker';
    return next;
  end if;

  for i in 1 .. coalesce(cardinality(v_task.limits), 0) loop
    key := v_task.limits[i];
    select * into v_limit from berth_private.limit_of(key);
    slots := v_limit.slots;
    if slots is null
       and not exists (select from berth_private.task_limit l
                        where l.key = berth_private.rule_of(v_task.limits[i]) and (l.submit_slots is not null or l.removed)) then
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
    if berth_private.is_reserved(
         array[v_task.limits[i]], berth_private.line_of(v_task.queue, v_task.priority, v_task.type, v_task.lane), v_now) then
      kind := 'reserved';
      return next;
    end if;
    continue when slots is null;
    select coalesce(sum(g.used), 0), coalesce(sum(greatest(0, g.capacity - g.used)), slots) into used, v_room
      from berth_private.slot_group g where g.key = v_task.limits[i];
    if v_room < v_task.weights[i] then
      kind := 'no_room';
      count := v_task.weights[i];
      return next;
      kind := 'holder';
      for number, count, holder, token, type, worker, at, began in
        select min(h.number), sum(h.count), h.task_id, h.token, h.type, s.worker, s.expires_at, h.since
          from berth_private.slot_holder h join berth_private.session s on s.id = h.session_id
         where h.key = v_task.limits[i]
         group by h.task_id, h.token, h.type, s.worker, s.expires_at, h.since order by h.token limit 100
      loop
        return next;
      end loop;
    end if;
  end loop;

  if v_task.state in ('ready', 'running') then  -- running: a standby
    kind := 'place';
    count := berth_private.ahead(v_task, 10001);
    select r.ends, v_now - r.first_at into ends, since
      from berth_private.recent_ends(v_task, v_now) r;
    return next;
  end if;
end $$;
