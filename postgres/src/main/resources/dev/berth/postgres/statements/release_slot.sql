select berth.release_slot(?, ?)
