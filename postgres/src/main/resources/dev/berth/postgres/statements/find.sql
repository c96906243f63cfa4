select id, type, queue, priority, state, submitted_at, due_at, started_at, ended_at, attempt, failures, crashes, payload,
       berth.pairs(metadata) as metadata, result, error, worker, progress, workflow, step
  from berth.tasks
 where id = ?
