-- Who is heavy may hold slots of several groups: shown once, with the first of them.
select h.key, min(h.number) as number, sum(h.count) as count, h.task_id, h.token, h.type, s.worker, s.expires_at
  from berth.slot_holder h
  join berth.session s on s.id = h.session_id
 group by h.key, h.task_id, h.token, h.type, s.worker, s.expires_at
 order by h.key, number, h.token
