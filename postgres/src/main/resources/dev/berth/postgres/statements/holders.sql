-- A heavy task may hold slots of several groups: shown once, with the first of them.
select h.key, min(h.number) as number, sum(h.count) as count, t.id, t.token, t.type, s.worker
  from berth.task t
  join berth.session s on s.id = t.session_id
 cross join lateral unnest(t.held) as h (key, number, count)
 where t.state = 'running' and t.held is not null
 group by h.key, t.id, t.token, t.type, s.worker
 order by h.key, number, t.token
