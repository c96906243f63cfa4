select name, state, step, pending, running, retrying, finished, failed, cancelled
  from berth.list_workflows(?)
 order by state operator(pg_catalog.<>) 'HALTED', name
 limit ?
