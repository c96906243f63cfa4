select berth.run_schedule(?, ?)
