select berth.resume_limit(?)
