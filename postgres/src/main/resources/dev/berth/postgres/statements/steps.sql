select step, task_id, type, state, skipped, ended_at, result, error from berth.steps_of(?, ?)
