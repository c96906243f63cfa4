select alive, cancel_ids, cancel_tokens from berth.heartbeat(?, ?, ?, ?, ?, ?, ?)
