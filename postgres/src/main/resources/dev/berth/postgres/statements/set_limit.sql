select berth.set_limit(?, ?, ? * interval '1 millisecond')
