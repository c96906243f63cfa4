select berth.resume(?)
