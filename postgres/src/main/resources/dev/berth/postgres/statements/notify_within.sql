select pg_notify('berth', hint) from unnest(?) as h (hint)
