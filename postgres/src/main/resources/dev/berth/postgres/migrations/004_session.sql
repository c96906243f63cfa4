-- Sessions: a worker's fenced, expiring presence.

-- Written only where something differs: many workers start at once with the same types.
create function berth.register_types(
  p_names text[], p_finished_days integer[], p_failed_days integer[], p_max_crashes integer[]
) returns void language sql as $$
  insert into berth.task_type as y (name, finished_days, failed_days, max_crashes, registered_at)
  select r.name, r.finished_days, r.failed_days, r.max_crashes, berth.now()
    from unnest(p_names, p_finished_days, p_failed_days, p_max_crashes)
      as r (name, finished_days, failed_days, max_crashes)
    left join berth.task_type k on k.name = r.name
   where (k.finished_days, k.failed_days, k.max_crashes)
         is distinct from (r.finished_days, r.failed_days, r.max_crashes)
   order by r.name
  on conflict (name) do update
    set finished_days = excluded.finished_days, failed_days = excluded.failed_days,
        max_crashes = excluded.max_crashes, registered_at = excluded.registered_at
$$;

create function berth.open_session(
  p_worker text, p_host text, p_lease interval, p_max integer, p_types text[], p_queues text[],
  out session_id bigint, out expires_at timestamptz
) language sql as $$
  insert into berth.session (opened_at, expires_at, lease, free, max, worker, host, types, queues)
  select n.now, n.now + p_lease, p_lease, p_max, p_max, p_worker, p_host, p_types, p_queues
    from berth.now() as n (now)
  returning id, expires_at
$$;

-- Renews the session and stores progress texts. alive = false: the session is gone or has expired, stop its tasks.
create function berth.heartbeat(
  p_session  bigint,
  p_free     integer,
  p_max      integer,
  p_memory   real,
  p_ids      uuid[]   default '{}',  -- tasks with news, their tokens, the texts
  p_tokens   bigint[] default '{}',
  p_progress text[]   default '{}',
  out alive boolean, out expires_at timestamptz, out cancel_ids uuid[], out cancel_tokens bigint[]
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz := berth.now();
begin
  update berth.session s
     set expires_at = v_now + s.lease, free = p_free, max = p_max, memory = p_memory
   where s.id = p_session and s.expires_at > v_now
  returning s.expires_at into heartbeat.expires_at;
  alive := found;
  if not alive then
    return;
  end if;
  update berth.task t
     set progress = p.progress
    from unnest(p_ids, p_tokens, p_progress) as p (id, token, progress)
   where t.id between p.id and p.id and t.token = p.token;  -- a range, as in an exchange
  select array_agg(t.id), array_agg(t.token) into cancel_ids, cancel_tokens
    from berth.task t
   where t.session_id = p_session and t.cancel_requested;
end $$;

-- Takes running tasks, which the caller has locked, from whoever runs them, and writes the ended attempts. 'released' gives
-- the attempt back. 'crashed' counts: a task that took too many workers down has failed. A task that was to be cancelled
-- is cancelled. A standby did not run: it goes back to its place. Gives back their slots, and p_slots with them; returns
-- how many live on.
create function berth.take_back(
  p_ids uuid[], p_outcome berth.outcome, p_why text default null, p_slots berth.slots_held[] default '{}'
) returns integer language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_now     timestamptz := berth.now();
  v_count   integer;
  v_slots   berth.slots_held[];
  v_counted uuid[];
  v_steps   berth.ended_step[];
begin
  v_slots := p_slots || array(select unnest(t.held) from berth.task t where t.id = any (p_ids) and t.held is not null);
  with held as (
    select t.id, t.token, t.session_id, t.attempt, t.standby, s.worker,
           case when t.cancel_requested then 'cancelled'
                when p_outcome = 'crashed' and not t.standby and t.crashes + 1 >= coalesce(y.max_crashes, 5) then 'crashed'
           end::berth.outcome as last_outcome,  -- null: it lives on
           case when t.cancel_requested then t.last_error
                when p_outcome = 'crashed' and not t.standby
                then format('the worker %s (session %s) %s: crash %s of at most %s',
                            s.worker, s.id, p_why, t.crashes + 1, coalesce(y.max_crashes, 5))
           end as error,
           case when t.workflow is null then coalesce(y.failed_days, 30) else greatest(y.failed_days, 30) end as keep_days,
           row_number() over (order by t.token) as number
      from berth.task t
      join berth.session s on s.id = t.session_id
      left join berth.task_type y on y.name = t.type
     where t.id = any (p_ids)
  ), ended as (
    delete from berth.task t using held h
     where t.id between h.id and h.id and h.last_outcome is not null
    returning t.*
  ), returned as (
    update berth.task t
       set state      = 'ready',
           position   = case when t.standby then t.position else v_now + h.number * interval '1 microsecond' end,
           session_id = null,
           token      = null,
           attempt    = t.attempt - (p_outcome = 'released' or t.standby)::integer,
           crashes    = t.crashes + (p_outcome = 'crashed' and not t.standby)::integer,
           last_error = coalesce(h.error, t.last_error),
           progress   = null
      from held h
     where t.id between h.id and h.id and h.last_outcome is null
    returning t.*
  ), woken as (
    select berth.wake_ready(r.queue, r.priority, v_now) from returned r group by r.queue, r.priority
  ), kept as (
    insert into berth.task_history (
      task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
      crashes, priority, final, type, queue, worker, error, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step)
    select e.id, e.submitted_at, e.due_at, e.started_at, v_now, h.session_id, h.token,
           berth.keep_until(v_now, h.keep_days), coalesce(h.last_outcome, p_outcome), h.attempt, e.failures,
           e.crashes + (p_outcome = 'crashed' and h.last_outcome is not null)::integer, e.priority,
           h.last_outcome is not null, e.type, e.queue, h.worker, h.error,
           case when h.last_outcome is not null then e.payload end,
           case when h.last_outcome is not null then e.metadata end, e.lane, e.limits, e.weights, e.said_slots,
           e.quotas, e.quota_mosts, e.workflow, e.step
      from (select * from ended union all select * from returned) e
      join held h on h.id = e.id
     where h.keep_days > 0 and (h.last_outcome is not null or not h.standby)
  )
  select (select count(*) from returned) + 0 * (select count(*) from woken),
         (select array_agg(id) from ended where quotas is not null),
         (select array_agg((e.workflow, e.step, e.step_number, e.on_failure, e.id, e.type, h.last_outcome, h.error, true)
                           ::berth.ended_step)
            from ended e join held h on h.id = e.id where e.workflow is not null)
    into v_count, v_counted, v_steps;

  -- In the order in which an exchange locks: quotas, workflows, slots.
  if v_counted is not null then
    perform berth.leave_quotas(v_counted);
  end if;
  if v_steps is not null then
    perform berth.wake_steps(n.queues, n.priorities, n.due_ats) from berth.end_steps(v_steps, v_now) n;
  end if;
  if cardinality(v_slots) > 0 then
    perform berth.give_back(v_slots);
    perform berth.wake_waiting(array(select distinct s.key from unnest(v_slots) as s));
  end if;
  return v_count;
end $$;

-- Ends sessions that the caller has locked FOR UPDATE: their tasks are taken back, and what they held without a task.
create function berth.end_sessions(p_sessions bigint[], p_outcome berth.outcome) returns integer language plpgsql
  set enable_seqscan = off set jit = off as $$
declare
  v_ids   uuid[];
  v_slots berth.slots_held[];  -- held without a task,
  v_held  text[];              --   and the limits they are of
  v_count integer;
begin
  -- Lock first, in a statement of its own: the next one then sees every row as it is.
  perform from berth.task t
    where t.session_id = any (p_sessions) and t.state = 'running' order by t.id for update;
  v_ids := array(select t.id from berth.task t where t.session_id = any (p_sessions) and t.state = 'running');
  with gone as (
    delete from berth.hold h where h.session_id = any (p_sessions) returning h.key, h.held
  )
  select array_agg(distinct g.key), array_agg(h) filter (where h is not null) into v_held, v_slots
    from gone g left join lateral unnest(g.held) as h on true;
  v_count := berth.take_back(v_ids, p_outcome, 'was lost while the task ran', coalesce(v_slots, '{}'));
  if v_held is not null then
    perform berth.wake_waiting(v_held);
  end if;
  delete from berth.exchange_log l where l.session_id = any (p_sessions);
  delete from berth.slot_waiter w where w.session_id = any (p_sessions);
  delete from berth.session s where s.id = any (p_sessions);
  return v_count;
end $$;

-- A worker says goodbye. Returns how many tasks it still held.
create function berth.leave(p_session bigint) returns integer language plpgsql as $$
begin
  perform from berth.session s where s.id = p_session for update;
  if not found then
    return 0;
  end if;
  return berth.end_sessions(array[p_session], 'released');
end $$;
