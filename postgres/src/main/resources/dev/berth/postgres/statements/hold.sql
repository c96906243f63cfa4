select verdict, token from berth.hold_slots(?, ?, ?, ?, ?, ?)
