select berth.stand_by(?, ?, coalesce(?::timestamptz, clock_timestamp())), clock_timestamp()::text
