create function berth_private.wake_ready(p_queue text, p_priority integer, p_position timestamptz) returns void language sql as $$
  select pg_notify('berth', 'ready ' || berth_private.microseconds(p_position) || ' ' || p_priority || ' ' || p_queue)
$$;

-- Only what is due within a minute: sweeps look far more often by themselves. In whole seconds, so that a transaction
-- that submits a hundred thousand tasks sends sixty wake-ups per queue at most.
create function berth_private.wake_due(p_queue text, p_due_at timestamptz) returns void language sql as $$
  select pg_notify('berth', 'due ' || floor(extract(epoch from w.wait))::bigint * 1000000 || ' ' || p_queue)
    from (select p_due_at - berth_private.now() as wait) w
   where w.wait < interval '1 minute'
$$;

-- Workers sweep at once: there is a time to be found.
create function berth_private.wake_sweep(p_queue text) returns void language sql as $$
  select pg_notify('berth', 'due 0 ' || p_queue)
$$;
