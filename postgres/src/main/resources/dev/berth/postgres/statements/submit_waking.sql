select s.existing, s.position, s.full_ids, s.full_keys, s.full_tasks, s.limited,
       pg_notify('berth', 'ready ' || s.position || case when s.limited then ' -2 ' else w.priority end || w.queue)
  from berth.submit_batch(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, ?, ?, ?) s, (values (?::text, ?::text)) as w (priority, queue)
