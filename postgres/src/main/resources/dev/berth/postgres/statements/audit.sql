select key, peak, slots, at, "over", forgiven from berth.audit(?, coalesce(?::timestamptz, '-infinity'))
