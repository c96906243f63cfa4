-- Commands: what people and programs ask for, one task or queue at a time.

-- Commands answer 'done', 'unchanged' (nothing to do), 'unknown' (no such task), 'requested' or 'full' (a quota is).

-- A task that does not run is cancelled now; a running one is asked to stop ('requested').
-- 'unchanged': too late. 'unknown': no such task, or its history is gone.
create function berth.cancel(p_id uuid, p_reason text default null) returns text language plpgsql as $$
declare
  v_task berth.task;
  v_now  timestamptz;
begin
  perform berth.lock_held_step(p_id);
  select * into v_task from berth.task t where t.id = p_id for update;
  if not found then
    return case when exists (select from berth.task_history h where h.task_id = p_id and h.final)
                then 'unchanged' else 'unknown' end;
  end if;
  if v_task.state = 'running' then
    update berth.task t set cancel_requested = true, last_error = coalesce(p_reason, t.last_error) where t.id = p_id;
    perform pg_notify('berth', 'cancel ' || v_task.session_id);
    return 'requested';
  end if;
  v_now := berth.now();
  delete from berth.task t where t.id = p_id;
  insert into berth.task_history (
    task_id, submitted_at, due_at, ended_at, keep_until, outcome, attempt, failures, crashes, priority, final, type,
    queue, error, payload, metadata, lane, limits, weights, said_slots, quotas, quota_mosts, workflow, step)
  select v_task.id, v_task.submitted_at, v_task.due_at, v_now, berth.keep_until(v_now, k.days), 'cancelled',
         v_task.attempt, v_task.failures, v_task.crashes, v_task.priority, true, v_task.type, v_task.queue, p_reason,
         v_task.payload, v_task.metadata, v_task.lane, v_task.limits, v_task.weights, v_task.said_slots,
         v_task.quotas, v_task.quota_mosts, v_task.workflow, v_task.step
    from berth.keep_days(v_task.type, 'cancelled') as k (days)
   where k.days > 0;
  if v_task.quotas is not null then
    perform berth.leave_quotas(array[p_id]);
  end if;
  if v_task.workflow is not null then
    perform berth.wake_steps(n.queues, n.priorities, n.due_ats)
       from berth.end_steps(
              array[(v_task.workflow, v_task.step, v_task.step_number, v_task.on_failure, p_id, v_task.type, 'cancelled',
                     p_reason, v_task.state <> 'held')::berth.ended_step], v_now) n;
  end if;
  return 'done';
end $$;

-- A failed or cancelled task lives again under its id, failures forgotten. 'unchanged': it is alive or has finished.
-- 'full': a quota of it is, and a person's wish makes no room; the numbers are those of its submit.
create function berth.retry(p_id uuid) returns text language plpgsql as $$
declare
  v_last berth.task_history;
  v_lane record;
  v_step record;
  v_now  timestamptz := berth.now();
begin
  select * into v_last from berth.task_history h
   where h.task_id = p_id and h.final and h.outcome <> 'finished' for update;
  if not found then
    return case when exists (select from berth.tasks t where t.id = p_id) then 'unchanged' else 'unknown' end;
  end if;
  if v_last.quotas is not null and berth.full_quota(v_last.quotas, v_last.quota_mosts) is not null then
    return 'full';
  end if;
  v_step := berth.revive_step(v_last.workflow, v_last.step);
  v_lane := berth.lane_of_type(v_last.type, v_last.limits, v_last.weights, v_last.said_slots);
  insert into berth.task (
    id, position, due_at, submitted_at, state, attempt, priority, type, queue, payload, metadata, lane, limits, weights,
    said_slots, quotas, quota_mosts, workflow, step, step_number, on_failure)
  values (p_id, v_now, v_now, v_last.submitted_at,
          case when v_last.workflow is null then 'ready' else 'held' end::berth.task_state, 0, v_last.priority, v_last.type,
          v_last.queue, v_last.payload, v_last.metadata, v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots,
          v_last.quotas, v_last.quota_mosts, v_last.workflow, v_last.step, v_step.number, v_step.on_failure)
  on conflict (id) do nothing;
  if not found then
    return 'unchanged';
  end if;
  if v_last.quotas is not null then
    perform berth.enter_quotas(array[p_id]);
  end if;
  update berth.task_history h set final = false, payload = null, metadata = null where h.task_id = p_id and h.final;
  if v_last.workflow is null then
    perform berth.wake_ready(v_last.queue, case when v_lane.lane is null then v_last.priority else -2 end, v_now);
  else
    perform berth.wake_steps(n.queues, n.priorities, n.due_ats) from berth.advance(array[v_last.workflow], null, v_now) n;
  end if;
  return 'done';
end $$;

create function berth.pause(p_queue text) returns text language plpgsql as $$
begin
  insert into berth.queue as q (name, paused, paused_at) values (p_queue, true, berth.now())
  on conflict (name) do update set paused = true, paused_at = excluded.paused_at where not q.paused;
  return case when found then 'done' else 'unchanged' end;
end $$;

create function berth.resume(p_queue text) returns text language plpgsql as $$
begin
  update berth.queue set paused = false, paused_at = null where name = p_queue and paused;
  if not found then
    return 'unchanged';
  end if;
  perform berth.wake_ready(p_queue, -1, 'epoch');
  return 'done';
end $$;
