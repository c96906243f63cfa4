select berth.reset_limit(?)
