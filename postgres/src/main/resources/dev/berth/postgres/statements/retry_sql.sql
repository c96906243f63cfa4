select berth.retry_sql(?, ?, ?)
