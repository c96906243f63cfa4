select s.existing, s.position, pg_notify('berth', 'ready ' || s.position || w.rest)
  from berth.submit_batch(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) s, (values (?::text)) as w (rest)
