select faults from berth.prune()
