-- A failed or cancelled task lives again under its id, failures forgotten. 'unchanged': it is alive or has finished.
-- 'full': a quota of it is, and a person's wish makes no room; the numbers are those of its submit.
create function berth_private.retry_task(p_id uuid) returns text language plpgsql as $$
declare
  v_last berth_private.task_history;
  v_lane record;
  v_step record;
  v_now  timestamptz := berth_private.now();
begin
  select * into v_last from berth_private.task_history h
   where h.task_id = p_id and h.final and h.outcome <> 'finished' for update;
  if not found then
    return case when exists (select from berth_private.task t where t.id = p_id)
                  or exists (select
                    from berth_private.task_history h where h.task_id = p_id and h.final) then 'unchanged' else 'unknown' end;
  end if;
  if v_last.quotas is not null and berth_private.full_quota(v_last.quotas, v_last.quota_mosts) is not null then
    return 'full';
  end if;
  v_step := berth_private.revive_step(v_last.workflow, v_last.step);
  v_lane := berth_private.lane_of_type(v_last.type, v_last.limits, v_last.weights, v_last.said_slots);
  perform berth_private.check_lane_bytes(v_last.type, v_last.queue, v_lane.lane);
  insert into berth_private.task (
    id, position, due_at, submitted_at, state, attempt, priority, type, queue, payload, metadata, lane, limits, weights,
    said_slots, quotas, quota_mosts, workflow, step, step_number, on_failure, name)
  values (p_id, v_now, v_now, v_last.submitted_at,
          case when v_last.workflow is null then 'ready'
            else 'held' end::berth_private.task_state, 0, v_last.priority, v_last.type,
          v_last.queue, v_last.payload, v_last.metadata, v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots,
          v_last.quotas, v_last.quota_mosts, v_last.workflow, v_last.step, v_step.number, v_step.on_failure, v_last.name)
  on conflict (id) do nothing;
  if not found then
    return 'unchanged';
  end if;
  if v_last.quotas is not null then
    perform berth_private.enter_quotas(array[p_id]);
  end if;
  update berth_private.task_history h set final = false, payload = null, metadata = null where h.task_id = p_id and h.final;
  if v_last.workflow is null then
    perform berth_private.wake_ready(v_last.queue, case when v_lane.lane is null then v_last.priority else -2 end, v_now);
  else
    perform berth_private.wake_steps(n.queues, n.priorities, n.due_ats)
      from berth_private.advance(array[v_last.workflow], null, v_now) n;
  end if;
  return 'done';
end $$;
