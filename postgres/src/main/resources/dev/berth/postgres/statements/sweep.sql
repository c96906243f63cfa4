select promoted, floor, extract(epoch from until_due) operator(pg_catalog.*) 1000000 as next_due_micros, expired, returned,
       step_floor, schedules, today, faults
  from berth.sweep(?, ?)
