select berth.reset_topic(?)
