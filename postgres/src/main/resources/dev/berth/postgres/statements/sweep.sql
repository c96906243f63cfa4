select promoted, floor, extract(epoch from next_due - berth.now()) * 1000000 as next_due_micros, expired, returned,
       step_floor, schedules, berth.keep_until(berth.now(), 0) as today
  from berth.sweep(?, ?)
