-- How workflows are: of a million, only those that may be halted and the first p_most are looked at; the state is not stored.
create function berth.list_workflows(p_most integer default null) returns table (
  name text, state text, step text, pending bigint, running bigint, retrying bigint, finished bigint, failed bigint,
  cancelled bigint
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select n.name collate "default", t.state, t.step, c.pending, c.running, c.retrying, c.finished, c.failed, c.cancelled
    from ((select distinct s.workflow as name
      from berth_private.workflow_step s where s.blocks is not null order by 1 limit 10000)
          union
          (select w.name from berth_private.workflow w order by w.name limit p_most)) n
   cross join lateral berth_private.workflow_turn(n.name) t
   cross join lateral berth_private.count_steps(n.name) c
$$;

create view berth.workflows as select * from berth.list_workflows();

-- One of them; no row if there is none.
create function berth.workflow_of(p_name text) returns table (
  name text, state text, step text, pending bigint, running bigint, retrying bigint, finished bigint, failed bigint,
  cancelled bigint
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select p_name, t.state, t.step, c.pending, c.running, c.retrying, c.finished, c.failed, c.cancelled
    from berth_private.workflow_turn(p_name) t
   cross join berth_private.count_steps(p_name) c
   where c.pending + c.running + c.retrying + c.finished + c.failed + c.cancelled > 0
$$;

-- Its last steps that have ended, and the next that have not.
create function berth.steps_of(p_workflow text, p_most integer) returns table (
  step text, task_id uuid, type text, state text, skipped boolean, ended_at timestamptz, result text, error text
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select s.step, s.task_id, s.type, s.state, s.skipped, s.ended_at, s.result, s.error
    from ((select e.step, e.task_id, e.type, e.number, e.skipped, e.ended_at, e.result, e.error, 1 as part,
                  case e.outcome when 'crashed' then 'FAILED' else upper(e.outcome::text) end as state
             from berth_private.workflow_step e where e.workflow = p_workflow order by e.number desc limit p_most)
          union all
          (select t.step, t.id, t.type, t.step_number, false, null, null, t.last_error, 2,
                  case when t.state = 'running' then 'RUNNING' when t.failures > 0 or t.crashes > 0 then 'RETRYING'
                       else 'PENDING' end
             from berth_private.task t where t.workflow = p_workflow order by t.step_number limit p_most)) s
   order by s.part, s.number
$$;

-- A step of the workflow that this task is a step of.
create function berth.step_of(p_task uuid, p_step text) returns table (
  step text, task_id uuid, type text, state text, skipped boolean, ended_at timestamptz, result text, error text
) language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select s.step, s.task_id, s.type, s.state, s.skipped, s.ended_at, s.result, s.error
    from (select t.workflow from berth_private.task t where t.id = p_task
          union all
          select h.workflow from berth_private.task_history h where h.task_id = p_task and h.final) o
   cross join lateral (
     select e.step, e.task_id, e.type, e.skipped, e.ended_at, e.result, e.error,
            case e.outcome when 'crashed' then 'FAILED' else upper(e.outcome::text) end as state
       from berth_private.workflow_step e where e.workflow = o.workflow and e.step = p_step
     union all
     select t.step, t.id, t.type, false, null, null, t.last_error,
            case when t.state = 'running' then 'RUNNING' when t.failures > 0 or t.crashes > 0 then 'RETRYING' else 'PENDING' end
       from berth_private.task t where t.id = berth_private.step_id(o.workflow, p_step) and t.workflow = o.workflow) s
$$;
