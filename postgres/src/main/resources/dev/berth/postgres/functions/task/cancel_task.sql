-- Commands answer 'done', 'unchanged' (nothing to do), 'unknown' (no such task), 'requested' or 'full' (a quota is).

-- Ends a task that is locked and does not run.
create function berth_private.end_task(p_task berth_private.task, p_outcome berth_private.outcome, p_reason text) returns void
language plpgsql as $$
declare
  v_now timestamptz := berth_private.now();
begin
  delete from berth_private.task t where t.id = p_task.id;
  insert into berth_private.task_history (
    task_id, submitted_at, due_at, ended_at, keep_until, outcome, attempt, failures, crashes, priority, final, type,
    queue, error, payload, metadata, lane, limits, weights, said_slots, quotas, quota_mosts, workflow, step, name)
  select p_task.id, p_task.submitted_at, p_task.due_at, v_now, berth_private.keep_until(v_now, k.days), p_outcome,
         p_task.attempt, p_task.failures, p_task.crashes, p_task.priority, true, p_task.type, p_task.queue, p_reason,
         p_task.payload, p_task.metadata, p_task.lane, p_task.limits, p_task.weights, p_task.said_slots,
         p_task.quotas, p_task.quota_mosts, p_task.workflow, p_task.step, p_task.name
    from berth_private.keep_days(p_task.type, p_outcome) as k (days)
   where k.days > 0;
  if p_task.quotas is not null then
    perform berth_private.leave_quotas(array[p_task.id]);
  end if;
  if p_task.workflow is not null then
    perform berth_private.wake_steps(n.queues, n.priorities, n.due_ats)
       from berth_private.end_steps(
              array[(p_task.workflow, p_task.step, p_task.step_number, p_task.on_failure, p_task.id, p_task.type, p_outcome,
                     p_reason, p_task.state <> 'held')::berth_private.ended_step], v_now) n;
  end if;
end $$;

-- The last resort for a task that nobody can go on with: it alone has failed, with this reason.
create function berth_private.fail_task(p_id uuid, p_reason text) returns void language plpgsql as $$
declare
  v_task berth_private.task;
begin
  select * into v_task from berth_private.task t where t.id = p_id for update;
  if found then
    perform berth_private.end_task(v_task, 'failed', p_reason);
    if v_task.state = 'running' and v_task.held is not null then
      perform berth_private.give_back(v_task.held);
    end if;
  end if;
end $$;

-- A task that does not run is cancelled now; a running one is asked to stop ('requested').
-- 'unchanged': too late. 'unknown': no such task, or its history is gone.
create function berth_private.cancel_task(p_id uuid, p_reason text default null) returns text language plpgsql as $$
declare
  v_task berth_private.task;
begin
  perform berth_private.lock_held_step(p_id);
  select * into v_task from berth_private.task t where t.id = p_id for update;
  if not found then
    return case when exists (select from berth_private.task_history h where h.task_id = p_id and h.final)
                then 'unchanged' else 'unknown' end;
  end if;
  if v_task.state = 'running' then
    update berth_private.task t set cancel_requested = true, last_error = coalesce(p_reason, t.last_error) where t.id = p_id;
    perform pg_notify('berth', 'cancel ' || v_task.session_id);
    return 'requested';
  end if;
  perform berth_private.end_task(v_task, 'cancelled', p_reason);
  return 'done';
end $$;
