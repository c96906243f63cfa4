select berth.make_partitions()
