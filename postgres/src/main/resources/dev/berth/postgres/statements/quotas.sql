select key, count from berth.quota_count where count > 0
