select s.name, s.cron, s.zone, s.every, s.missed, s.overlap, s.type, s.queue, s.payload, s.paused, s.anchor, v.next_at, s.last_at,
       s.last_task, s.submitted, s.skipped, s.error
  from berth.schedule s join berth.schedules v on v.name = s.name
 order by s.name
