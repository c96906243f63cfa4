select berth.pause_schedule(?)
