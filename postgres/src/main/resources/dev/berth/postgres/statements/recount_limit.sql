select berth.recount_limit(?)
