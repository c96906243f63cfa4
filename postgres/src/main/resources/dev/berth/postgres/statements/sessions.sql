select id, worker, opened_at, expires_at, free, max, memory, queues, types, running
  from berth.sessions
 where alive
 order by id
