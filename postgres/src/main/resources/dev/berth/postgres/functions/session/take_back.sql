-- Sessions: a worker's fenced, expiring presence.

-- Takes running tasks, which the caller has locked, from whoever runs them, and writes the ended attempts. 'released' gives
-- the attempt back. 'crashed' counts: a task that took too many workers down has failed. A task that was to be cancelled
-- is cancelled. A standby did not run: it goes back to its place. Gives back their slots, and p_slots with them; returns
-- how many live on.
create function berth_private.take_back(
  p_ids uuid[], p_outcome berth_private.outcome, p_why text default null, p_slots berth_private.slots_held[] default '{}'
) returns integer language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_now     timestamptz := berth_private.now();
  v_count   integer;
  v_slots   berth_private.slots_held[];
  v_counted uuid[];
  v_steps   berth_private.ended_step[];
begin
  v_slots := p_slots || array(select unnest(t.held) from berth_private.task t where t.id = any (p_ids) and t.held is not null);
  with held as (
    select t.id, t.token, t.session_id, t.attempt, t.standby, s.worker,
           case when t.cancel_requested then 'cancelled'
                when p_outcome = 'crashed' and not t.standby and t.crashes + 1 >= coalesce(y.max_crashes, 5) then 'crashed'
           end::berth_private.outcome as last_outcome,  -- null: it lives on
           case when t.cancel_requested then t.last_error
                when p_outcome = 'crashed' and not t.standby
                then format('the worker %s (session %s) %s: crash %s of at most %s',
                            s.worker, s.id, p_why, t.crashes + 1, coalesce(y.max_crashes, 5))
           end as error,
           case when t.workflow is null then coalesce(y.failed_days, 30) else greatest(y.failed_days, 30) end as keep_days,
           row_number() over (order by t.token) as number
      from berth_private.task t
      join berth_private.session s on s.id = t.session_id
      left join berth_private.task_type y on y.name = t.type
     where t.id = any (p_ids)
  ), ended as (
    delete from berth_private.task t using held h
     where t.id between h.id and h.id and h.last_outcome is not null
    returning t.*
  ), returned as (
    update berth_private.task t
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
    select berth_private.wake_ready(r.queue, r.priority, v_now) from returned r group by r.queue, r.priority
  ), kept as (
    insert into berth_private.task_history (
      task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
      crashes, priority, final, type, queue, worker, error, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step, name)
    select e.id, e.submitted_at, e.due_at, e.started_at, v_now, h.session_id, h.token,
           berth_private.keep_until(v_now, h.keep_days), coalesce(h.last_outcome, p_outcome), h.attempt, e.failures,
           e.crashes + (p_outcome = 'crashed' and h.last_outcome is not null)::integer, e.priority,
           h.last_outcome is not null, e.type, e.queue, h.worker, h.error,
           case when h.last_outcome is not null then e.payload end,
           case when h.last_outcome is not null then e.metadata end, e.lane, e.limits, e.weights, e.said_slots,
           e.quotas, e.quota_mosts, e.workflow, e.step, e.name
      from (select * from ended union all select * from returned) e
      join held h on h.id = e.id
     where h.keep_days > 0 and (h.last_outcome is not null or not h.standby)
  )
  select (select count(*) from returned) + 0 * (select count(*) from woken),
         (select array_agg(id) from ended where quotas is not null),
         (select array_agg((e.workflow, e.step, e.step_number, e.on_failure, e.id, e.type, h.last_outcome, h.error, true)
                           ::berth_private.ended_step)
            from ended e join held h on h.id = e.id where e.workflow is not null)
    into v_count, v_counted, v_steps;

  -- In the order in which an exchange locks: quotas, workflows, slots.
  if v_counted is not null then
    perform berth_private.leave_quotas(v_counted);
  end if;
  if v_steps is not null then
    perform berth_private.wake_steps(n.queues, n.priorities, n.due_ats) from berth_private.end_steps(v_steps, v_now) n;
  end if;
  if cardinality(v_slots) > 0 then
    perform berth_private.give_back(v_slots);
    perform berth_private.wake_waiting(array(select distinct s.key from unnest(v_slots) as s));
  end if;
  return v_count;
end $$;
