select h.key, h.number, h.count, t.id, t.token, t.type, s.worker
  from berth.task t
  join berth.session s on s.id = t.session_id
 cross join lateral unnest(t.held) as h (key, number, count)
 where t.state = 'running' and t.held is not null
 order by h.key, h.number, t.token
