select key, peak, slots, at, "over" from berth.audit(?, coalesce(?::timestamptz, '-infinity'))
