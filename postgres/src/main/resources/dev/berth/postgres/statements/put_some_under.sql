select berth.put_some_under(?, ?, ?, ?)
