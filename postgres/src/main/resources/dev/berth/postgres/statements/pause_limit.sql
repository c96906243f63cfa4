select berth.pause_limit(?)
