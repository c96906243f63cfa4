select name, cron, zone, extract(epoch from every) operator(pg_catalog.*) 1000 as every, missed, overlap, type, queue, payload,
       paused, anchor, next_at, last_at, last_task, submitted, skipped, error
  from berth.schedules
 order by name
