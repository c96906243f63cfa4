select s.position, case when s.position is not null then pg_notify('berth', 'ready ' || s.position || w.priority || w.queue) end
  from berth.submit_one(?, ?, ?, ?, ?, ?::text[], ?, ?, ?, ?) as s (position), (values (?::text, ?::text)) as w (priority, queue)
