select session_id, proof, size_cap from berth.open_session(?, ?, ?, ? operator(pg_catalog.*) interval '1 millisecond', ?, ?, ?)
