-- Views: the read side of the SQL interface.

create view berth.tasks as
  select t.id, t.type, t.queue, t.priority,
         case when t.state = 'running' and not t.standby then 'RUNNING' when t.failures > 0 or t.crashes > 0 then 'RETRYING'
           else 'PENDING' end as state,
         t.submitted_at, t.due_at, t.started_at, null::timestamptz as ended_at,
         t.attempt, t.failures, t.crashes, t.session_id, t.token, s.worker,
         t.cancel_requested, t.progress, t.last_error as error, null::text as result, t.payload, t.metadata,
         t.workflow collate "default" as workflow, t.step collate "default" as step, t.name
    from berth_private.task t left join berth_private.session s on s.id = t.session_id
  union all
  select h.task_id, h.type, h.queue, h.priority,
         case h.outcome when 'crashed' then 'FAILED' else upper(h.outcome::text) end,
         h.submitted_at, h.due_at, h.started_at, h.ended_at,
         h.attempt, h.failures, h.crashes, h.session_id, h.token, h.worker,
         false, null, h.error, h.result, h.payload, h.metadata, h.workflow, h.step, h.name
    from berth_private.task_history h
   where h.final;

-- The ids of the tasks that were submitted under this text, of any type: two ranges of indexes, see named_id.
create function berth.tasks_named(name text) returns setof uuid language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select t.id from berth.tasks t
   where t.name = tasks_named.name
     and t.id between overlay(berth_private.named_id('', tasks_named.name)::text placing '0000-000000000000' from 20)::uuid
                  and overlay(berth_private.named_id('', tasks_named.name)::text placing 'ffff-ffffffffffff' from 20)::uuid
$$;

-- Every ended attempt, the audit's source.
create view berth.attempts as
  select h.task_id, h.type, h.queue, h.priority, h.outcome, h.attempt, h.failures, h.crashes, h.final,
         h.session_id, h.token, h.worker, h.submitted_at, h.due_at, h.started_at, h.ended_at, h.error, h.result
    from berth_private.task_history h;

create view berth.sessions as
  select s.id, s.worker, s.host, s.opened_at, s.expires_at, s.expires_at > clock_timestamp() + (select c.shift
    from berth_private.clock c) as alive,
         s.free, s.max, s.memory, s.types, s.queues,
         (select count(*) from berth_private.task t where t.session_id = s.id and t.state = 'running' and not t.standby)
           as running
    from berth_private.session s;

create view berth.queues as
  select coalesce(c.name, q.name) as name, coalesce(q.paused, false) as paused, q.paused_at,
         coalesce(c.waiting, 0) as waiting, coalesce(c.ready, 0) as ready, coalesce(c.running, 0) as running,
         c.oldest_ready
    from (select t.queue as name,
                 count(*) filter (where t.state in ('held', 'waiting')) as waiting,
                 count(*) filter (where t.state = 'ready' or t.state = 'running' and t.standby) as ready,
                 count(*) filter (where t.state = 'running' and not t.standby) as running,
                 min(t.position) filter (where t.state = 'ready') as oldest_ready
            from berth_private.task t group by t.queue) c
    full join (select * from berth_private.queue where paused) q on q.name = c.name;

create view berth.schedules as
  select s.name, s.cron, s.zone, s.every * interval '1 millisecond' as every, s.missed, s.overlap, s.type, s.queue, s.priority,
         s.payload, s.metadata, s.paused, case when not s.paused then nullif(s.next_at, '-infinity') end as next_at,
         s.last_at, s.last_task, s.submitted, s.skipped, s.error, s.anchor
    from berth_private.schedule s;
