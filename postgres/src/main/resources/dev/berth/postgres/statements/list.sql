-- Live tasks and ended ones, newest first.
select id, type, queue, priority, state, submitted_at, due_at, started_at, ended_at, attempt, failures, crashes, payload,
       berth.pairs(metadata) as metadata, result, error, worker, progress, workflow, step
  from berth.tasks
 where state = any (?) and type = coalesce(?, type) and queue = coalesce(?, queue)
 order by submitted_at desc, id desc
 limit ?
