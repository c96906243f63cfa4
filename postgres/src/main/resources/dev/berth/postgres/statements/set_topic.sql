select berth.set_topic(topic => ?, max_parallel => ?, retry_count => ?, delay => ? * interval '1 millisecond')
