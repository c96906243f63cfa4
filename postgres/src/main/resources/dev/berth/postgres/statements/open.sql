select session_id from berth.open_session(?, ?, ? * interval '1 millisecond', ?, ?, ?)
