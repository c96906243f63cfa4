with s as (
  insert into berth.submitting_one (id, type, queue, priority, payload, metadata, lane, limits, weights, said_slots)
  values (?, ?, ?, ?, ?, ?::text[], ?, ?, ?, ?)
  returning position
)
select s.position, case when s.position is not null then pg_notify('berth', 'ready ' || s.position || w.priority || w.queue) end
  from s, (values (?::text, ?::text)) as w (priority, queue)
