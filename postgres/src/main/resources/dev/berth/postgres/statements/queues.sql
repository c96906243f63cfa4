select name, paused, waiting, ready, running from berth.queues order by name
