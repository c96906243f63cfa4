-- The workflow goes on as if this step were not there. 'requested': it runs, and is asked to stop.
create function berth.skip_step(p_workflow text, p_step text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid := berth_private.step_id(p_workflow, p_step);
begin
  perform berth_private.lock_held_step(v_id);
  update berth_private.task t set on_failure = 'skip' where t.id = v_id and t.workflow = p_workflow;
  if found then
    return berth_private.cancel_task(v_id, 'skipped by hand');
  end if;
  perform berth_private.lock_workflows(array[p_workflow]) where exists (select
    from berth_private.workflow w where w.name = p_workflow);
  update berth_private.workflow_step s set skipped = true, blocks = null
   where s.workflow = p_workflow and s.step = p_step and s.outcome <> 'finished' and not s.skipped;
  if not found then
    return case when exists (select from berth_private.workflow_step s where s.workflow = p_workflow and s.step = p_step)
                then 'unchanged' else 'unknown' end;
  end if;
  perform berth_private.wake_steps(n.queues, n.priorities, n.due_ats)
    from berth_private.advance(array[p_workflow], null, berth_private.now()) n;
  return 'done';
end $$;

-- Cancels all steps that have not ended, and those that are added later. 'requested': one runs, and is asked to stop.
create function berth.cancel_workflow(p_workflow text, p_reason text default null) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_reason text := left(coalesce(p_reason, 'the workflow was cancelled'), 16000);
  v_turn   uuid;
  v_said   text := 'done';
begin
  -- The step whose turn it is, before the workflow, as whoever ends it does. While we have it, it stays its turn.
  loop
    select t.id into v_turn from berth_private.task t where t.workflow = p_workflow and t.state <> 'held';
    exit when not found;
    perform from berth_private.task t where t.id = v_turn and t.state::text <> 'held' for update;
    exit when found;
  end loop;
  if v_turn is null and not exists (select from berth_private.task t where t.workflow = p_workflow) then
    return case when exists (select from berth_private.workflow w where w.name = p_workflow) then 'unchanged' else 'unknown' end;
  end if;
  perform berth_private.lock_workflows(array[p_workflow]);
  if v_turn is null then
    -- It may be somebody's turn by now. One that is locked is just ending, and waits for us: to be tried again.
    select t.id into v_turn from berth_private.task t where t.workflow = p_workflow and t.state <> 'held' for update skip locked;
    if not found and exists (select from berth_private.task t where t.workflow = p_workflow and t.state <> 'held') then
      raise exception 'a step of workflow % ends just now', p_workflow using errcode = 'serialization_failure';
    end if;
  end if;
  update berth_private.workflow w set cancelled = v_reason where w.name = p_workflow;
  if v_turn is not null then
    v_said := berth_private.cancel_task(v_turn, v_reason);
  end if;
  perform berth_private.wake_steps(n.queues, n.priorities, n.due_ats)
    from berth_private.advance(array[p_workflow], null, berth_private.now()) n;
  return v_said;
end $$;

-- Retries the step that holds the others, and the steps that were cancelled, in their order.
create function berth.retry_workflow(p_workflow text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task uuid;
  v_one  text;
  v_said text := 'unchanged';
begin
  if not exists (select from berth_private.workflow w where w.name = p_workflow)
     and not exists (select from berth_private.task t where t.workflow = p_workflow) then
    return 'unknown';
  end if;
  for v_task in
    select s.task_id from berth_private.workflow_step s
     where s.workflow = p_workflow and (s.blocks is not null or s.outcome = 'cancelled' and not s.skipped)
     order by s.number
  loop
    v_one := berth_private.retry_task(v_task);
    if v_said = 'unchanged' and v_one <> 'unknown' then
      v_said := v_one;
    end if;
  end loop;
  return v_said;
end $$;
