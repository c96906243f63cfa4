select launcher, refused, free from berth.prepare_sql(?, ?, ?)
