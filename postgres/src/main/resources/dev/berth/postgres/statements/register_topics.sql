select berth.register_topics(?, ?, ?, ?)
