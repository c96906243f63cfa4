-- A wake-up is only a hint: its commit need not wait for the disk.
select pg_catalog.set_config('synchronous_commit', 'off', true), pg_catalog.pg_notify('berth', hint)
  from pg_catalog.unnest(?) as h (hint)
