select berth.retry_workflow(?)
