select id, name, type, queue, priority, state, submitted_at, due_at, started_at, ended_at, attempt, failures, crashes, payload,
       case when jsonb_typeof(metadata) = 'object'
            then array(select unnest(array[e.key, e.value]) from jsonb_each_text(metadata) as e) end as metadata,
       result, error, worker, progress, workflow, step
  from berth.tasks
 where id = any (array(select berth.tasks_named(?)))
 order by type
