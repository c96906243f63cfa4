select berth.name_paces(?, ?)
