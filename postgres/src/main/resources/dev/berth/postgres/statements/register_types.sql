select berth.register_types(?, ?, ?, ?)
