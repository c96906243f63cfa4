-- Views: the read side of the SQL interface.

create view berth.tasks as
  select t.id, t.type, t.queue, t.priority,
         case when t.state = 'running' and not t.standby then 'RUNNING' when t.failures + t.crashes > 0 then 'RETRYING' else 'PENDING' end as state,
         t.submitted_at, t.due_at, t.started_at, null::timestamptz as ended_at,
         t.attempt, t.failures, t.crashes, t.session_id, t.token, s.worker,
         t.cancel_requested, t.progress, t.last_error as error, null::text as result, t.payload, t.metadata,
         t.workflow collate "default" as workflow, t.step collate "default" as step
    from berth.task t left join berth.session s on s.id = t.session_id
  union all
  select h.task_id, h.type, h.queue, h.priority,
         case h.outcome when 'crashed' then 'FAILED' else upper(h.outcome::text) end,
         h.submitted_at, h.due_at, h.started_at, h.ended_at,
         h.attempt, h.failures, h.crashes, h.session_id, h.token, h.worker,
         false, null, h.error, h.result, h.payload, h.metadata, h.workflow, h.step
    from berth.task_history h
   where h.final;

-- Every ended attempt, the audit's source.
create view berth.attempts as
  select h.task_id, h.type, h.queue, h.priority, h.outcome, h.attempt, h.failures, h.crashes, h.final,
         h.session_id, h.token, h.worker, h.submitted_at, h.due_at, h.started_at, h.ended_at, h.error, h.result
    from berth.task_history h;

create view berth.sessions as
  select s.id, s.worker, s.host, s.opened_at, s.expires_at, s.expires_at > berth.now() as alive,
         s.free, s.max, s.memory, s.types, s.queues,
         (select count(*) from berth.task t where t.session_id = s.id and t.state = 'running' and not t.standby)
           as running
    from berth.session s;

create view berth.queues as
  select coalesce(c.name, q.name) as name, coalesce(q.paused, false) as paused, q.paused_at,
         coalesce(c.waiting, 0) as waiting, coalesce(c.ready, 0) as ready, coalesce(c.running, 0) as running,
         c.oldest_ready
    from (select t.queue as name,
                 count(*) filter (where t.state in ('held', 'waiting')) as waiting,
                 count(*) filter (where t.state = 'ready' or t.state = 'running' and t.standby) as ready,
                 count(*) filter (where t.state = 'running' and not t.standby) as running,
                 min(t.position) filter (where t.state = 'ready') as oldest_ready
            from berth.task t group by t.queue) c
    full join (select * from berth.queue where paused) q on q.name = c.name;
