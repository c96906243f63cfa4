select * from berth.limit_status()
 order by limit_key, number, token
