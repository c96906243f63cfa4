select name, max_parallel, retry_count, extract(epoch from delay) operator(pg_catalog.*) 1000 as delay_ms, by_hand,
       pending, running
  from berth.topics
