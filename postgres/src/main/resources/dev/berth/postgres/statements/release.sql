select released, queues from berth.release_hold(?, ?, ?)
