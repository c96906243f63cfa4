select berth.set_topic(
  topic => ?, max_parallel => ?, retry_count => ?, delay => ? operator(pg_catalog.*) interval '1 millisecond'
)
