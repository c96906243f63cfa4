select key, slots, before, by_hand from berth.register_limits(?, ?, ?, ?, ?)
