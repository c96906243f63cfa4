select berth.leave(?)
