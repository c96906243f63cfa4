select berth.stand_by(?, ?, coalesce(?::pg_catalog.timestamptz, pg_catalog.clock_timestamp())),
       pg_catalog.clock_timestamp()::pg_catalog.text
