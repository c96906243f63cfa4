select attempt, outcome, started_at, ended_at, token, worker, error
  from berth.attempts
 where task_id operator(pg_catalog.=) ?
 order by ended_at, token nulls last
