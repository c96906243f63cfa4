select berth.set_limit(?, ?, ? operator(pg_catalog.*) interval '1 millisecond')
