select session_id, proof, size_cap from berth.open_session(?, ?, ?, ? * interval '1 millisecond', ?, ?, ?)
