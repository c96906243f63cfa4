select key, peak, slots, at, "over", forgiven from berth.audit(?, coalesce(?::pg_catalog.timestamptz, '-infinity'))
