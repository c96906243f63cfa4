-- Workflows: tasks that run one after another.
--
-- A STEP IS A TASK that carries the name of its workflow. Until its turn comes it is held: in no index that a claim
-- reads, so that a million steps, or a million workflows, cost a claim nothing. When its turn comes it is promoted, and
-- from then on is like any other task. It stays its turn until it has ended for good: what waits for a retry, or lost
-- its worker, holds those after it.
--
-- THE ROW OF THE WORKFLOW is locked by whoever looks which step is next, and only then it looks, with a new snapshot.
-- Whoever ended a step before, or added one, has committed and is seen. Two promoted steps of one workflow are
-- impossible in any case: task_turn is unique.
--
-- A SUBMIT IN THE CALLER'S TRANSACTION must lock nothing that others need, and cannot know when it commits. It inserts
-- its steps, held, and with them a notice. Whoever ends the last step meanwhile does not see them, and the workflow
-- stands still; the notice says so, and the next sweep lets it go on. Any other submit looks itself before it commits.
--
-- LOCKS. Whoever ends a task has it locked, then locks its quotas, then its workflow, then slots. Whoever cancels a
-- held step locks the workflow first, since who promotes has the workflow and comes for the step.

-- Cancels the held steps after this number, a thousand at a time; a notice sees to those that are left. Returns whether
-- it was all of them. The caller has the workflow locked.
create function berth_private.cancel_rest(p_workflow text, p_after bigint, p_reason text, p_now timestamptz) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_ids     uuid[];
  v_counted uuid[];
begin
  v_ids := array(
    select t.id from berth_private.task t
     where t.workflow = p_workflow and t.step_number > p_after and t.state = 'held'
     order by t.step_number limit 1000 for update);
  with gone as (
    delete from berth_private.task t where t.id = any (v_ids) returning t.*
  ), kept as (
    insert into berth_private.task_history (
      task_id, submitted_at, due_at, ended_at, keep_until, outcome, attempt, failures, crashes, priority, final, type,
      queue, error, payload, metadata, lane, limits, weights, said_slots, quotas, quota_mosts, workflow, step, name)
    select g.id, g.submitted_at, g.due_at, p_now, berth_private.keep_until(p_now, k.days), 'cancelled', g.attempt, g.failures,
           g.crashes, g.priority, true, g.type, g.queue, p_reason, g.payload, g.metadata, g.lane, g.limits, g.weights,
           g.said_slots, g.quotas, g.quota_mosts, g.workflow, g.step, g.name
      from gone g cross join lateral berth_private.keep_days(g.type, 'cancelled') as k (days)
     where k.days > 0
  ), ended as (
    insert into berth_private.workflow_step (workflow, step, number, task_id, type, outcome, on_failure, ended_at, error)
    select g.workflow, g.step, g.step_number, g.id, g.type, 'cancelled', g.on_failure, p_now, p_reason from gone g
    on conflict (workflow, step) do update  -- submitted twice, by somebody who could not see that it has ended
      set outcome = excluded.outcome, skipped = false, blocks = null, ended_at = excluded.ended_at, error = excluded.error,
          result = null
  )
  select array_agg(g.id) filter (where g.quotas is not null) into v_counted from gone g;
  if v_counted is not null then
    perform berth_private.leave_quotas(v_counted);
  end if;
  if cardinality(v_ids) = 1000 then
    insert into berth_private.workflow_notice (at, workflow) values (p_now, p_workflow);
  end if;
  return cardinality(v_ids) < 1000;
end $$;

-- Looks whose turn it is in these workflows, each named once, and promotes that step. p_afters: the number of the step
-- whose turn it was until now; null: it may still be somebody's turn. p_types and p_outcomes: of the steps that have
-- ended, to know how long to remember a workflow that has no other. Returns where steps came to.
create function berth_private.advance(
  p_names text[], p_afters bigint[], p_now timestamptz, p_types text[] default null,
    p_outcomes berth_private.outcome[] default null,
  out queues text[], out priorities smallint[], out due_ats timestamptz[]
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_head record;
  v_ids  uuid[] := '{}';
  v_idle text[] := '{}';
  v_days integer[] := '{}';
  v_now  timestamptz;
begin
  perform berth_private.lock_workflows(array(select n from unnest(p_names) as n order by n collate "C"));
  v_now := berth_private.now();  -- p_now may be before the submit of a step that is seen here, and the step would not seem due
  for v_head in
    select w.name, w.behind, w.cancelled, w.keep_until, n.type, n.outcome as ended, a.step_number as turn, t.id, t.step_number,
           b.step as block, b.number as block_number, b.blocks, b.outcome
      from unnest(p_names, p_afters, p_types, p_outcomes) as n (name, after, type, outcome)
     cross join lateral (select * from berth_private.workflow w where w.name = n.name limit 1) w
      left join lateral (
        select a.step_number from berth_private.task a
         where n.after is null and a.workflow = n.name and a.state <> 'held' limit 1) a on true
      left join lateral (
        select t.id, t.step_number from berth_private.task t
         where t.workflow = n.name and t.state = 'held'
           and t.step_number > case when n.after is null then 0 else least(n.after, w.behind - 1) end
         order by t.step_number limit 1 for update) t on true
      left join lateral (
        select b.step, b.number, b.blocks, b.outcome from berth_private.workflow_step b
         where b.workflow = n.name and b.number < t.step_number and b.blocks is not null
         order by b.number limit 1) b on true
  loop
    if v_head.turn is not null then
      if v_head.step_number < least(v_head.turn, v_head.behind) then
        update berth_private.workflow w set behind = v_head.step_number where w.name = v_head.name;
      end if;
      continue;
    elsif v_head.cancelled is not null and v_head.id is not null then
      continue when not berth_private.cancel_rest(v_head.name, 0, v_head.cancelled, p_now);
    elsif v_head.blocks = 'cancel_rest' then
      continue when not berth_private.cancel_rest(
        v_head.name, v_head.block_number,
        format('step %s of the workflow has %s', v_head.block,
               case v_head.outcome when 'cancelled' then 'cancelled' else 'failed' end), p_now);
    elsif v_head.id is not null then
      if v_head.keep_until is not null or v_head.behind is not null then
        update berth_private.workflow w set behind = null, keep_until = null where w.name = v_head.name;
      end if;
      if v_head.blocks is null then
        v_ids := v_ids || v_head.id;
      end if;
      continue;
    end if;
    v_idle := v_idle || v_head.name::text;
    v_days := v_days || case when v_head.type is null then 1
                             else greatest(berth_private.keep_days(v_head.type, v_head.ended), 1) end;
  end loop;

  if v_ids <> '{}' then
    with promoted as (
      update berth_private.task t
         set state = case when t.due_at > v_now then 'waiting' else 'ready' end::berth_private.task_state, position = v_now
       where t.id = any (v_ids)
      returning t.queue, case when t.lane is null then t.priority else -2 end::smallint as priority,
                case when t.due_at > v_now then t.due_at else least(t.due_at, p_now) end as due_at)
    select array_agg(p.queue), array_agg(p.priority), array_agg(p.due_at) into queues, priorities, due_ats
      from promoted p;
  end if;
  if v_idle <> '{}' then
    update berth_private.workflow w
       set keep_until = greatest(w.keep_until, berth_private.keep_until(p_now, i.days)), behind = null
      from unnest(v_idle, v_days) as i (name, days)
     where w.name between i.name and i.name;
  end if;
end $$;

-- Steps came to these workflows.
create function berth_private.take_in_steps(p_workflows text[], p_advance boolean, p_now timestamptz) returns void
language plpgsql as $$
begin
  if p_advance then
    perform berth_private.advance(p_workflows, null, p_now);
  else
    insert into berth_private.workflow_notice (at, workflow) select p_now, w from unnest(p_workflows) as w;
  end if;
end $$;

-- These steps have ended for good: what became of them is written down, and their workflows go on.
create function berth_private.end_steps(
  p_ended berth_private.ended_step[], p_now timestamptz, out queues text[], out priorities smallint[], out due_ats timestamptz[]
) language plpgsql as $$
begin
  insert into berth_private.workflow_step (
    workflow, step, number, task_id, type, outcome, skipped, blocks, on_failure, ended_at, error, result)
  select e.workflow, e.step, e.number, e.task_id, e.type, e.outcome, e.outcome <> 'finished' and e.on_failure = 'skip',
         case when e.outcome = 'cancelled' and exists (
                     select from berth_private.workflow w where w.name = e.workflow and w.cancelled is not null)
              then null  -- not the step is the cause, but a person
              when e.outcome <> 'finished' and e.on_failure in ('halt', 'cancel_rest') then e.on_failure end,
         e.on_failure, p_now, case when e.outcome <> 'finished' then e.text end,
         case when e.outcome = 'finished' then e.text end
    from unnest(p_ended) as e
  on conflict (workflow, step) do update  -- submitted twice, by somebody who could not see that it has ended
    set outcome = excluded.outcome, skipped = excluded.skipped, blocks = excluded.blocks, ended_at = excluded.ended_at,
        error = excluded.error, result = excluded.result;
  select n.queues, n.priorities, n.due_ats into queues, priorities, due_ats
    from berth_private.advance(
           array(select e.workflow from unnest(p_ended) as e),
           array(select case when e.turn then e.number end from unnest(p_ended) as e), p_now,
           array(select e.type from unnest(p_ended) as e), array(select e.outcome from unnest(p_ended) as e)) n;
end $$;
