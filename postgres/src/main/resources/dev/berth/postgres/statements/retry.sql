select berth.retry(?)
