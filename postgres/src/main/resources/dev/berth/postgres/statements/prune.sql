select berth.prune()
