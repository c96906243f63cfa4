-- One row for each thing there is to say of the task; at least one.
select t.id, t.name, t.type, t.queue, t.priority, t.state, t.submitted_at, t.due_at, t.started_at, t.ended_at, t.attempt,
       t.failures, t.crashes, t.payload, case when pg_catalog.jsonb_typeof(t.metadata) operator(pg_catalog.=) 'object'
         then array(select pg_catalog.unnest(array[m.key, m.value])
                      from pg_catalog.jsonb_each_text(t.metadata) as m) end as metadata,
       t.result, t.error, t.worker, t.progress, t.workflow, t.step,
       e.kind, e.key, e.at, e.slots, e.used, e.number, e.count, e.holder, e.token, e.type as holder_type,
       e.worker as holder_worker, e.began, e.ends, extract(epoch from e.since) operator(pg_catalog.*) 1000000 as since_micros
  from berth.tasks t left join lateral berth.explain(t.id) e on true
 where t.id operator(pg_catalog.=) ?
