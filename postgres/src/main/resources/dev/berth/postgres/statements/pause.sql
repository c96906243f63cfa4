select berth.pause(?)
