select berth.cancel_workflow(?, ?)
