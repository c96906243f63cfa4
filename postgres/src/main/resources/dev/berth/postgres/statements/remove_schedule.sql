select berth.remove_schedule(?)
