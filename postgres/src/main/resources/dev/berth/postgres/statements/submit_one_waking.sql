with s as (
  insert into berth.submitting_one (id, type, queue, priority, payload, metadata, lane, limits, weights, said_slots)
  values (?, ?, ?, ?, ?, ?::pg_catalog.text[], ?, ?, ?, ?)
  returning position
)
select s.position,
       case when s.position is not null
            then pg_catalog.pg_notify('berth', pg_catalog.concat('ready ', s.position, w.priority, w.queue)) end
  from s, (values (?::pg_catalog.text, ?::pg_catalog.text)) as w (priority, queue)
