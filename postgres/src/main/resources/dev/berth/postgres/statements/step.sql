select s.step, s.task_id, s.type, s.state, s.skipped, s.ended_at, s.result, s.error
  from (values (?)) as n (name)
 cross join berth.tasks o
 cross join lateral (
   select e.step, e.task_id, e.type, e.skipped, e.ended_at, e.result, e.error,
          case e.outcome when 'crashed' then 'FAILED' else upper(e.outcome::text) end as state
     from berth.workflow_step e where e.workflow = o.workflow and e.step = n.name
   union all
   select t.step, t.id, t.type, false, null, null, t.last_error,
          case when t.state = 'running' then 'RUNNING' when t.failures + t.crashes > 0 then 'RETRYING' else 'PENDING' end
     from berth.task t where t.id = berth.step_id(o.workflow, n.name) and t.workflow = o.workflow) s
 where o.id = ?
