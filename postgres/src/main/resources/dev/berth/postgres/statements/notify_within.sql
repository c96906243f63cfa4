select pg_catalog.pg_notify('berth', hint) from pg_catalog.unnest(?) as h (hint)
