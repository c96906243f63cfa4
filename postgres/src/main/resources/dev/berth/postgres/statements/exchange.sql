select kind, id, token, type, queue, priority, attempt, failures, crashes, submitted_at, due_at, payload, metadata,
       position, foreign_types, lane
  from berth.exchange(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
