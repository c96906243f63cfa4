select alive, cancel_ids, cancel_tokens, untold from berth.heartbeat(?, ?, ?, ?, ?, ?, ?, ?, ?)
