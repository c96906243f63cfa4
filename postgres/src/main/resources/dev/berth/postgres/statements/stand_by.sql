select berth.stand_by(?, ?)
