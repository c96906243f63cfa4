select name, state, step, pending, running, retrying, finished, failed, cancelled
  from berth.list_workflows(?)
 order by state <> 'HALTED', name
 limit ?
