select key, count from berth.quota_status()
