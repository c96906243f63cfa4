select berth.cancel(?, ?)
