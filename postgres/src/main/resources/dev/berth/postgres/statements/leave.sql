select berth.leave(?, ?)
