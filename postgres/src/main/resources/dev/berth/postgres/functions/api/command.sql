-- Commands: what people and programs ask for, one task or queue at a time.

-- A task that does not run is cancelled now; a running one is asked to stop ('requested').
create function berth.cancel(p_id uuid, p_reason text default null) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  return berth_private.cancel_task(p_id, left(p_reason, 16000));
end $$;

-- A failed or cancelled task lives again under its id, failures forgotten.
create function berth.retry(p_id uuid) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  return berth_private.retry_task(p_id);
end $$;

create function berth.pause(p_queue text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_name('queue', p_queue);
  insert into berth_private.queue as q (name, paused, paused_at) values (p_queue, true, berth_private.now())
  on conflict (name) do update set paused = true, paused_at = excluded.paused_at where not q.paused;
  return case when found then 'done' else 'unchanged' end;
end $$;

create function berth.resume(p_queue text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  update berth_private.queue set paused = false, paused_at = null where name = p_queue and paused;
  if not found then
    return 'unchanged';
  end if;
  perform berth_private.wake_ready(p_queue, -1, 'epoch');
  return 'done';
end $$;
