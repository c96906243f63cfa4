select n.name, t.state, t.step, c.pending, c.running, c.retrying, c.finished, c.failed, c.cancelled
  from (values (?)) as n (name)
 cross join lateral berth.workflow_turn(n.name) t
 cross join lateral berth.count_steps(n.name) c
 where c.pending + c.running + c.retrying + c.finished + c.failed + c.cancelled > 0
