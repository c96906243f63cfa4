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

create table berth.workflow (
  name       text collate "C" not null,
  behind     bigint,  -- steps were added behind the one whose turn it is: the least of their numbers
  cancelled  text,    -- why a person cancelled it, and with it what is added later
  keep_until date,    -- null: it has live steps; else the last day it is remembered
  constraint workflow_pkey primary key (name)
) with (fillfactor = 80);

create index workflow_kept on berth.workflow (keep_until) where keep_until is not null;

-- Steps that have ended. They are known, with their results, for as long as the workflow is, whatever their types keep.
create table berth.workflow_step (
  workflow   text collate "C" not null,
  step       text collate "C" not null,
  number     bigint           not null,
  task_id    uuid             not null,
  type       text             not null,
  outcome    berth.outcome    not null,
  skipped    boolean          not null default false,
  blocks     berth.on_failure,            -- what it does to those after it; null: nothing
  on_failure berth.on_failure not null,
  ended_at   timestamptz      not null,
  error      text,
  result     text,
  constraint workflow_step_pkey primary key (workflow, step)
);

create index workflow_step_number on berth.workflow_step (workflow, number);

create index workflow_step_blocks on berth.workflow_step (workflow, number) where blocks is not null;

-- Steps came to this workflow in a transaction that could not look whose turn it is.
create table berth.workflow_notice (
  at       timestamptz not null,
  workflow text        not null
);

create index workflow_notice_at on berth.workflow_notice (at);

-- The order of steps. Numbers are drawn without a lock, so of two that are submitted at once either may be first.
create sequence berth.step_number as bigint;

create index task_step on berth.task (workflow, step_number) where workflow is not null;

-- The step whose turn it is: one at most.
create unique index task_turn on berth.task (workflow) where workflow is not null and state <> 'held';

-- The id of the task of a step, as the client makes it.
create function berth.step_id(p_workflow text, p_step text) returns uuid language sql immutable as $$
  select encode(set_byte(set_byte(m.hash, 6, get_byte(m.hash, 6) & 15 | 48), 8, get_byte(m.hash, 8) & 63 | 128), 'hex')::uuid
    from (select decode(md5(convert_to(concat_ws(E'\n', 'berth:workflow', p_workflow, p_step), 'UTF8')), 'hex')) m (hash)
$$;

-- Of tasks that were just inserted, those whose steps have ended already.
create function berth.known_steps(p_inserted uuid[], p_ids uuid[], p_workflows text[], p_steps text[])
returns setof uuid language sql stable as $$
  select i.id from unnest(p_ids, p_workflows, p_steps) as i (id, workflow, step)
   where i.id = any (p_inserted)
     and (select true from berth.workflow_step s where s.workflow = i.workflow and s.step = i.step)
$$;

-- Steps came to these workflows.
create function berth.take_in_steps(p_workflows text[], p_advance boolean, p_now timestamptz) returns void
language plpgsql as $$
begin
  if p_advance then
    perform berth.advance(p_workflows, null, p_now);
  else
    insert into berth.workflow_notice (at, workflow) select p_now, w from unnest(p_workflows) as w;
  end if;
end $$;

-- Locks workflows, which are made where they are not known; p_names is sorted. Whoever forgets one meanwhile has
-- committed when the lock is there, and it is made again.
create function berth.lock_workflows(p_names text[]) returns void language plpgsql as $$
declare
  v_locked integer;
begin
  loop
    perform from unnest(p_names) as n (name)
      cross join lateral (select from berth.workflow w where w.name = n.name for update) w;
    get diagnostics v_locked = row_count;
    exit when v_locked = cardinality(p_names);
    insert into berth.workflow (name)
    select n.name from unnest(p_names) as n (name)
     where (select true from berth.workflow w where w.name = n.name) is null
    on conflict do nothing;
  end loop;
end $$;

-- Looks whose turn it is in these workflows, each named once, and promotes that step. p_afters: the number of the step
-- whose turn it was until now; null: it may still be somebody's turn. p_types and p_outcomes: of the steps that have
-- ended, to know how long to remember a workflow that has no other. Returns where steps came to.
create function berth.advance(
  p_names text[], p_afters bigint[], p_now timestamptz, p_types text[] default null, p_outcomes berth.outcome[] default null,
  out queues text[], out priorities smallint[], out due_ats timestamptz[]
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_head record;
  v_ids  uuid[] := '{}';
  v_idle text[] := '{}';
  v_days integer[] := '{}';
  v_now  timestamptz;
begin
  perform berth.lock_workflows(array(select n from unnest(p_names) as n order by n collate "C"));
  v_now := berth.now();  -- p_now may be before the submit of a step that is seen here, and the step would not seem due
  for v_head in
    select w.name, w.behind, w.cancelled, w.keep_until, n.type, n.outcome as ended, a.step_number as turn, t.id, t.step_number,
           b.step as block, b.number as block_number, b.blocks, b.outcome
      from unnest(p_names, p_afters, p_types, p_outcomes) as n (name, after, type, outcome)
     cross join lateral (select * from berth.workflow w where w.name = n.name limit 1) w
      left join lateral (
        select a.step_number from berth.task a
         where n.after is null and a.workflow = n.name and a.state <> 'held' limit 1) a on true
      left join lateral (
        select t.id, t.step_number from berth.task t
         where t.workflow = n.name and t.state = 'held'
           and t.step_number > case when n.after is null then 0 else least(n.after, w.behind - 1) end
         order by t.step_number limit 1 for update) t on true
      left join lateral (
        select b.step, b.number, b.blocks, b.outcome from berth.workflow_step b
         where b.workflow = n.name and b.number < t.step_number and b.blocks is not null
         order by b.number limit 1) b on true
  loop
    if v_head.turn is not null then
      if v_head.step_number < least(v_head.turn, v_head.behind) then
        update berth.workflow w set behind = v_head.step_number where w.name = v_head.name;
      end if;
      continue;
    elsif v_head.cancelled is not null and v_head.id is not null then
      continue when not berth.cancel_rest(v_head.name, 0, v_head.cancelled, p_now);
    elsif v_head.blocks = 'cancel_rest' then
      continue when not berth.cancel_rest(
        v_head.name, v_head.block_number,
        format('step %s of the workflow has %s', v_head.block,
               case v_head.outcome when 'cancelled' then 'cancelled' else 'failed' end), p_now);
    elsif v_head.id is not null then
      if v_head.keep_until is not null or v_head.behind is not null then
        update berth.workflow w set behind = null, keep_until = null where w.name = v_head.name;
      end if;
      if v_head.blocks is null then
        v_ids := v_ids || v_head.id;
      end if;
      continue;
    end if;
    v_idle := v_idle || v_head.name::text;
    v_days := v_days || case when v_head.type is null then 1
                             else greatest(berth.keep_days(v_head.type, v_head.ended), 1) end;
  end loop;

  if v_ids <> '{}' then
    with promoted as (
      update berth.task t
         set state = case when t.due_at > v_now then 'waiting' else 'ready' end::berth.task_state, position = v_now
       where t.id = any (v_ids)
      returning t.queue, case when t.lane is null then t.priority else -2 end::smallint as priority,
                case when t.due_at > v_now then t.due_at else least(t.due_at, p_now) end as due_at)
    select array_agg(p.queue), array_agg(p.priority), array_agg(p.due_at) into queues, priorities, due_ats
      from promoted p;
  end if;
  if v_idle <> '{}' then
    update berth.workflow w
       set keep_until = greatest(w.keep_until, berth.keep_until(p_now, i.days)), behind = null
      from unnest(v_idle, v_days) as i (name, days)
     where w.name between i.name and i.name;
  end if;
end $$;

-- These steps have ended for good: what became of them is written down, and their workflows go on.
create function berth.end_steps(
  p_ended berth.ended_step[], p_now timestamptz, out queues text[], out priorities smallint[], out due_ats timestamptz[]
) language plpgsql as $$
begin
  insert into berth.workflow_step (
    workflow, step, number, task_id, type, outcome, skipped, blocks, on_failure, ended_at, error, result)
  select e.workflow, e.step, e.number, e.task_id, e.type, e.outcome, e.outcome <> 'finished' and e.on_failure = 'skip',
         case when e.outcome = 'cancelled' and exists (
                     select from berth.workflow w where w.name = e.workflow and w.cancelled is not null)
              then null  -- not the step is the cause, but a person
              when e.outcome <> 'finished' and e.on_failure in ('halt', 'cancel_rest') then e.on_failure end,
         e.on_failure, p_now, case when e.outcome <> 'finished' then e.text end,
         case when e.outcome = 'finished' then e.text end
    from unnest(p_ended) as e
  on conflict (workflow, step) do update  -- submitted twice, by somebody who could not see that it has ended
    set outcome = excluded.outcome, skipped = excluded.skipped, blocks = excluded.blocks, ended_at = excluded.ended_at,
        error = excluded.error, result = excluded.result;
  select n.queues, n.priorities, n.due_ats into queues, priorities, due_ats
    from berth.advance(
           array(select e.workflow from unnest(p_ended) as e),
           array(select case when e.turn then e.number end from unnest(p_ended) as e), p_now,
           array(select e.type from unnest(p_ended) as e), array(select e.outcome from unnest(p_ended) as e)) n;
end $$;

-- Cancels the held steps after this number, a thousand at a time; a notice sees to those that are left. Returns whether
-- it was all of them. The caller has the workflow locked.
create function berth.cancel_rest(p_workflow text, p_after bigint, p_reason text, p_now timestamptz) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_ids     uuid[];
  v_counted uuid[];
begin
  v_ids := array(
    select t.id from berth.task t
     where t.workflow = p_workflow and t.step_number > p_after and t.state = 'held'
     order by t.step_number limit 1000 for update);
  with gone as (
    delete from berth.task t where t.id = any (v_ids) returning t.*
  ), kept as (
    insert into berth.task_history (
      task_id, submitted_at, due_at, ended_at, keep_until, outcome, attempt, failures, crashes, priority, final, type,
      queue, error, payload, metadata, lane, limits, weights, said_slots, quotas, quota_mosts, workflow, step)
    select g.id, g.submitted_at, g.due_at, p_now, berth.keep_until(p_now, k.days), 'cancelled', g.attempt, g.failures,
           g.crashes, g.priority, true, g.type, g.queue, p_reason, g.payload, g.metadata, g.lane, g.limits, g.weights,
           g.said_slots, g.quotas, g.quota_mosts, g.workflow, g.step
      from gone g cross join lateral berth.keep_days(g.type, 'cancelled') as k (days)
     where k.days > 0
  ), ended as (
    insert into berth.workflow_step (workflow, step, number, task_id, type, outcome, on_failure, ended_at, error)
    select g.workflow, g.step, g.step_number, g.id, g.type, 'cancelled', g.on_failure, p_now, p_reason from gone g
  )
  select array_agg(g.id) filter (where g.quotas is not null) into v_counted from gone g;
  if v_counted is not null then
    perform berth.leave_quotas(v_counted);
  end if;
  if cardinality(v_ids) = 1000 then
    insert into berth.workflow_notice (at, workflow) values (p_now, p_workflow);
  end if;
  return cardinality(v_ids) < 1000;
end $$;

-- Wakes whoever may claim steps that were promoted.
create function berth.wake_steps(p_queues text[], p_priorities smallint[], p_due_ats timestamptz[]) returns void
language plpgsql as $$
declare
  v_now timestamptz := berth.now();
begin
  for i in 1 .. coalesce(cardinality(p_queues), 0) loop
    if p_due_ats[i] > v_now then
      perform berth.wake_due(p_queues[i], p_due_ats[i]);
    else
      -- A second ago: these wake-ups are equal, and the database sends one.
      perform berth.wake_ready(p_queues[i], p_priorities[i], date_trunc('second', v_now) - interval '1 second');
    end if;
  end loop;
end $$;

-- Lets workflows go on to which steps came. p_floor: notices before this time were taken; null: look at all.
create function berth.take_notices(p_floor timestamptz, out promoted integer, out floor timestamptz) language plpgsql
  set enable_seqscan = off set jit = off as $$
declare
  v_now    timestamptz := berth.now();
  v_floor  timestamptz := coalesce(p_floor, '-infinity');
  v_places tid[];
  v_names  text[];
  v_steps  record;
begin
  promoted := 0;
  for v_round in 1 .. 10 loop
    v_places := array(
      select n.ctid from berth.workflow_notice n where n.at >= v_floor order by n.at limit 200 for update skip locked);
    exit when v_places = '{}';
    with taken as (
      delete from berth.workflow_notice n where n.ctid = any (v_places) returning n.workflow)
    select array_agg(distinct t.workflow) into v_names from taken t;
    v_steps := berth.advance(v_names, null, v_now);
    promoted := promoted + coalesce(cardinality(v_steps.queues), 0);
    perform berth.wake_steps(v_steps.queues, v_steps.priorities, v_steps.due_ats);
  end loop;
  -- A full last round leaves the floor where it is; else never younger than 100 ms, for what commits late.
  floor := case when v_places = '{}' then v_now - interval '100 milliseconds' else p_floor end;
end $$;

-- Forgets workflows that have ended, with the results of their steps.
create function berth.forget_workflows() returns void language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_names text[];
begin
  v_names := array(
    select w.name from berth.workflow w
     where w.keep_until is not null and w.keep_until < berth.keep_until(berth.now(), 0)
     limit 1000 for update skip locked);
  v_names := array(
    select n from unnest(v_names) as n where (select true from berth.task t where t.workflow = n limit 1) is null);
  if v_names <> '{}' then
    delete from berth.workflow_step s where s.workflow = any (v_names);
    delete from berth.workflow w where w.name = any (v_names);
  end if;
end $$;

-- Before a held step is locked to be cancelled.
create function berth.lock_held_step(p_id uuid) returns void language plpgsql as $$
declare
  v_workflow text;
begin
  select t.workflow into v_workflow from berth.task t where t.id = p_id and t.state::text = 'held';
  if found then
    perform berth.lock_workflows(array[v_workflow]);
  end if;
end $$;

-- A step that has ended is about to live again: it is nothing of the past any more. Its place in the order, which is the
-- last where its workflow is forgotten.
create function berth.revive_step(
  p_workflow text, p_step text, out number bigint, out on_failure berth.on_failure
) language plpgsql as $$
begin
  if p_workflow is null then
    return;
  end if;
  perform berth.lock_workflows(array[p_workflow]);
  delete from berth.workflow_step s where s.workflow = p_workflow and s.step = p_step
  returning s.number, s.on_failure into revive_step.number, revive_step.on_failure;
  number := coalesce(number, nextval('berth.step_number'));
  on_failure := coalesce(nullif(on_failure, 'skip'), 'halt');
  update berth.workflow w set cancelled = null where w.name = p_workflow and w.cancelled is not null;
end $$;

-- The workflow goes on as if this step were not there. 'requested': it runs, and is asked to stop.
create function berth.skip_step(p_workflow text, p_step text) returns text language plpgsql as $$
declare
  v_id uuid := berth.step_id(p_workflow, p_step);
begin
  perform berth.lock_held_step(v_id);
  update berth.task t set on_failure = 'skip' where t.id = v_id and t.workflow = p_workflow;
  if found then
    return berth.cancel(v_id, 'skipped by hand');
  end if;
  perform berth.lock_workflows(array[p_workflow]) where exists (select from berth.workflow w where w.name = p_workflow);
  update berth.workflow_step s set skipped = true, blocks = null
   where s.workflow = p_workflow and s.step = p_step and s.outcome <> 'finished' and not s.skipped;
  if not found then
    return case when exists (select from berth.workflow_step s where s.workflow = p_workflow and s.step = p_step)
                then 'unchanged' else 'unknown' end;
  end if;
  perform berth.wake_steps(n.queues, n.priorities, n.due_ats) from berth.advance(array[p_workflow], null, berth.now()) n;
  return 'done';
end $$;

-- Cancels all steps that have not ended, and those that are added later. 'requested': one runs, and is asked to stop.
create function berth.cancel_workflow(p_workflow text, p_reason text default null) returns text language plpgsql as $$
declare
  v_reason text := coalesce(p_reason, 'the workflow was cancelled');
  v_turn   uuid;
  v_said   text := 'done';
begin
  -- The step whose turn it is, before the workflow, as whoever ends it does. While we have it, it stays its turn.
  loop
    select t.id into v_turn from berth.task t where t.workflow = p_workflow and t.state <> 'held';
    exit when not found;
    perform from berth.task t where t.id = v_turn and t.state::text <> 'held' for update;
    exit when found;
  end loop;
  if v_turn is null and not exists (select from berth.task t where t.workflow = p_workflow) then
    return case when exists (select from berth.workflow w where w.name = p_workflow) then 'unchanged' else 'unknown' end;
  end if;
  perform berth.lock_workflows(array[p_workflow]);
  if v_turn is null then
    -- It may be somebody's turn by now. One that is locked is just ending, and waits for us: to be tried again.
    select t.id into v_turn from berth.task t where t.workflow = p_workflow and t.state <> 'held' for update skip locked;
    if not found and exists (select from berth.task t where t.workflow = p_workflow and t.state <> 'held') then
      raise exception 'a step of workflow % ends just now', p_workflow using errcode = 'serialization_failure';
    end if;
  end if;
  update berth.workflow w set cancelled = v_reason where w.name = p_workflow;
  if v_turn is not null then
    v_said := berth.cancel(v_turn, v_reason);
  end if;
  perform berth.wake_steps(n.queues, n.priorities, n.due_ats) from berth.advance(array[p_workflow], null, berth.now()) n;
  return v_said;
end $$;

-- Retries the step that holds the others, and the steps that were cancelled, in their order.
create function berth.retry_workflow(p_workflow text) returns text language plpgsql as $$
declare
  v_task uuid;
  v_one  text;
  v_said text := 'unchanged';
begin
  if not exists (select from berth.workflow w where w.name = p_workflow)
     and not exists (select from berth.task t where t.workflow = p_workflow) then
    return 'unknown';
  end if;
  for v_task in
    select s.task_id from berth.workflow_step s
     where s.workflow = p_workflow and (s.blocks is not null or s.outcome = 'cancelled' and not s.skipped)
     order by s.number
  loop
    v_one := berth.retry(v_task);
    if v_said = 'unchanged' and v_one <> 'unknown' then
      v_said := v_one;
    end if;
  end loop;
  return v_said;
end $$;

-- How far a workflow is, and the step that is next or runs or, where it cannot go on, is the cause.
create function berth.workflow_turn(p_workflow text, out state text, out step text) language plpgsql stable
  set enable_seqscan = off set jit = off as $$
declare
  v_turn  text;
  v_head  record;
  v_block record;
begin
  select t.step into v_turn from berth.task t where t.workflow = p_workflow and t.state <> 'held';
  select t.step, t.step_number into v_head from berth.task t where t.workflow = p_workflow order by t.step_number limit 1;
  select b.step, b.blocks into v_block from berth.workflow_step b
   where b.workflow = p_workflow and b.blocks is not null
     and b.number < coalesce(v_head.step_number, 9223372036854775807)
   order by b.number limit 1;
  step := coalesce(v_turn, v_block.step, v_head.step);
  state := case when exists (select from berth.workflow w where w.name = p_workflow and w.cancelled is not null)
                then 'CANCELLED'
                when v_turn is not null then 'RUNNING'
                when v_block.blocks = 'halt' then 'HALTED'
                when v_block.blocks = 'cancel_rest' then 'FAILED'
                when v_head.step is not null then 'RUNNING'
                else 'FINISHED' end;
end $$;

-- How many steps are in which state.
create function berth.count_steps(
  p_workflow text, out pending bigint, out running bigint, out retrying bigint, out finished bigint, out failed bigint,
  out cancelled bigint
) language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  select count(*) filter (where (t.state <> 'running' or t.standby) and t.failures + t.crashes = 0),
         count(*) filter (where t.state = 'running' and not t.standby),
         count(*) filter (where (t.state <> 'running' or t.standby) and t.failures + t.crashes > 0)
    into pending, running, retrying
    from berth.task t where t.workflow = p_workflow;
  select count(*) filter (where s.outcome = 'finished'),
         count(*) filter (where s.outcome in ('failed', 'crashed')),
         count(*) filter (where s.outcome = 'cancelled')
    into finished, failed, cancelled
    from berth.workflow_step s where s.workflow = p_workflow;
end $$;

create view berth.workflows as
  select w.name collate "default" as name, t.state, t.step, c.pending, c.running, c.retrying, c.finished, c.failed, c.cancelled
    from berth.workflow w
   cross join lateral berth.workflow_turn(w.name) t
   cross join lateral berth.count_steps(w.name) c;

-- Submit a step from SQL: it runs when all steps before it have ended. A step that is there already, or has run, stays
-- as it is.
create function berth.submit_step(
  workflow   text,
  step       text,
  type       text,
  payload    jsonb       default 'null',
  queue      text        default 'default',
  priority   integer     default 5,
  due_at     timestamptz default null,
  metadata   jsonb       default null,
  limits     jsonb       default null,
  on_failure text        default 'halt'  -- or 'continue', 'cancel_rest'
) returns uuid language plpgsql as $$
declare
  v_id    uuid := berth.step_id(submit_step.workflow, submit_step.step);
  v_lane  record;
  v_batch record;
begin
  perform berth.check_name('workflow', submit_step.workflow);
  perform berth.check_name('step', submit_step.step);
  perform berth.check_submit(
    submit_step.type, submit_step.payload, submit_step.queue, submit_step.priority, submit_step.metadata);
  if submit_step.on_failure is null or submit_step.on_failure not in ('halt', 'continue', 'cancel_rest') then
    raise exception 'What a failed step does to those after it is halt, continue or cancel_rest, not %',
      coalesce(submit_step.on_failure, 'null') using errcode = 'invalid_parameter_value';
  end if;
  v_lane := berth.sql_lane(submit_step.type, submit_step.limits);
  v_batch := berth.submit_batch(
    array[v_id], array[submit_step.type], array[submit_step.queue], array[submit_step.priority::smallint],
    array[submit_step.due_at], array[0::bigint], array[submit_step.payload::text],
    array[berth.pairs(submit_step.metadata)::text], array[v_lane.lane], array[v_lane.limits::text],
    array[v_lane.weights::text], array[v_lane.said_slots::text], true, null, null, null, null,
    array[submit_step.workflow], array[submit_step.step], array[submit_step.on_failure], false);
  if v_batch.existing is null then
    perform pg_notify('berth', 'step ' || v_batch.position || ' ' || submit_step.queue);
  end if;
  return v_id;
end $$;
