select berth.set_limit(?, ?)
