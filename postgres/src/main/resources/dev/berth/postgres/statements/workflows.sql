-- The state is not stored: of a million workflows, only those that may be halted and the first ones are looked at.
select n.name, t.state, t.step, c.pending, c.running, c.retrying, c.finished, c.failed, c.cancelled
  from ((select distinct s.workflow as name from berth.workflow_step s where s.blocks is not null order by 1 limit 10000)
        union
        (select w.name from berth.workflow w order by w.name limit ?)) n
 cross join lateral berth.workflow_turn(n.name) t
 cross join lateral berth.count_steps(n.name) c
 order by t.state <> 'HALTED', n.name
 limit ?
