select id, name, type, queue, priority, state, submitted_at, due_at, started_at, ended_at, attempt, failures, crashes, payload,
       case when pg_catalog.jsonb_typeof(metadata) operator(pg_catalog.=) 'object'
            then array(select pg_catalog.unnest(array[e.key, e.value])
                         from pg_catalog.jsonb_each_text(metadata) as e) end as metadata,
       result, error, worker, progress, workflow, step
  from berth.tasks
 where id operator(pg_catalog.=) any (array(select berth.tasks_named(?)))
 order by type
