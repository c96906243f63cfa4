select name, version, cron, zone, every, missed, anchor, since, next_at, now from berth.due_schedules()
