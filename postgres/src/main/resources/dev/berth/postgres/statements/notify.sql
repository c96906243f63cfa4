-- A wake-up is only a hint: its commit need not wait for the disk.
select set_config('synchronous_commit', 'off', true), pg_notify('berth', hint) from unnest(?) as h (hint)
