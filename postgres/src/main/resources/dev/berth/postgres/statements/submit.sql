insert into berth.submitting_batch (
  ids, types, queues, priorities, due_ats, delays, payloads, metadata, lanes, limits, weights, said_slots, repeat, quotas, mosts,
  when_full, workflows, steps, on_failure, advance, names)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning existing, position, full_ids, full_keys, full_tasks, limited
