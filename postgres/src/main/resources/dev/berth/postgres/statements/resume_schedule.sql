select berth.resume_schedule(?)
