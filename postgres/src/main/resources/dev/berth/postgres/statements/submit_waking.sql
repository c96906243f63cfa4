select s.existing, s.position, s.full_ids, s.full_keys, s.full_tasks, pg_notify('berth', 'ready ' || s.position || w.rest)
  from berth.submit_batch(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) s, (values (?::text)) as w (rest)
