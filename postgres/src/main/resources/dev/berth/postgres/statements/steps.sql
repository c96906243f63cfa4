-- The last steps that have ended, and the next that have not.
select s.step, s.task_id, s.type, s.state, s.skipped, s.ended_at, s.result, s.error
  from ((select e.step, e.task_id, e.type, e.number, e.skipped, e.ended_at, e.result, e.error, 1 as part,
                case e.outcome when 'crashed' then 'FAILED' else upper(e.outcome::text) end as state
           from berth.workflow_step e where e.workflow = ? order by e.number desc limit ?)
        union all
        (select t.step, t.id, t.type, t.step_number, false, null, null, t.last_error, 2,
                case when t.state = 'running' then 'RUNNING' when t.failures + t.crashes > 0 then 'RETRYING'
                     else 'PENDING' end
           from berth.task t where t.workflow = ? order by t.step_number limit ?)) s
 order by s.part, s.number
