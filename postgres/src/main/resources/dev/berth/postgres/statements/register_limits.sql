select berth.register_limits(?, ?, ?, ?)
