select berth.skip_step(?, ?)
