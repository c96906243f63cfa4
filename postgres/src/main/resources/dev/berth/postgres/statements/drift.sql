select key, counter, number, counted, actual from berth.drift() order by key, counter, number
