select name, state, step, pending, running, retrying, finished, failed, cancelled from berth.workflow_of(?)
