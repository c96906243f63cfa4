-- What Java says of a schedule; see write_schedule.
create function berth.put_schedule(
  p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text,
  p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[],
  p_quotas text[], p_mosts integer[], p_when_full text[]
) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  return berth_private.write_schedule(
    p_name, p_cron, p_zone, p_every, p_missed, p_overlap, p_type, p_queue, p_priority, p_payload, p_metadata, p_limits,
    p_weights, p_said_slots, p_quotas, p_mosts, p_when_full);
end $$;

-- The definition from SQL: select berth.set_schedule('nightly', 'pack', cron => '0 3 * * *', zone => 'Europe/Berlin').
-- What only Java can check, a worker checks at once; what it finds wrong stands in the column error of berth.schedules.
create function berth.set_schedule(
  name     text,
  type     text,
  payload  jsonb    default 'null',
  cron     text     default null,
  zone     text     default 'UTC',
  every    interval default null,
  missed   text     default 'once',   -- once, all, none
  overlap  text     default 'skip',   -- skip, queue, cancel_older
  queue    text     default 'default',
  priority integer  default 5,
  metadata jsonb    default null,
  quotas   jsonb    default null,
  limits   jsonb    default null
) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_wrong  text;
  v_key    text := berth_private.schedule_key(set_schedule.name);
  v_every  numeric := extract(epoch from set_schedule.every) * 1000;
  v_said   record;
  v_quotas record;
begin
  if set_schedule.name is null or set_schedule.name !~ '[^[:space:]]' then
    raise exception 'A schedule needs a name, but it was blank' using errcode = 'invalid_parameter_value';
  end if;
  v_wrong := case
    when length(set_schedule.name) > 200 or length(v_key) > 500 then 'its name is too long; at most 200 characters are allowed'
    when set_schedule.name ~ '[[:cntrl:]]' then 'its name contains a control character'
    when (set_schedule.cron is null) = (v_every is null) then
      'say when: either cron, such as ''0 3 * * *'', or every, such as ''10 minutes'''
    when extract(year from set_schedule.every) <> 0 or extract(month from set_schedule.every) <> 0 then
      format('it cannot run every %s: months differ; say days, or use cron', set_schedule.every)
    when v_every < 100 or v_every > 3153600000000 then
      format('it cannot run every %s: use a time from 100 ms to 36500 days', set_schedule.every)
    when v_every % 1 <> 0 then format('it cannot run every %s: use whole milliseconds', set_schedule.every)
    when set_schedule.cron !~ '^[[:space:]]*([-0-9A-Za-z*/,]+[[:space:]]+){4}[-0-9A-Za-z*/,]+[[:space:]]*$' then
      format('"%s" is not a cron expression: use five fields, minute, hour, day, month and weekday, such as "0 3 * * *"',
             set_schedule.cron)
    when set_schedule.cron is not null and not berth_private.is_zone(set_schedule.zone) then
      format('the time zone "%s" does not exist: use the name of one, such as Europe/Berlin or UTC', set_schedule.zone)
    when set_schedule.missed is null or lower(set_schedule.missed) not in ('once', 'all', 'none') then
      format('missed cannot be "%s": use once, all or none', set_schedule.missed)
    when set_schedule.overlap is null or lower(set_schedule.overlap) not in ('skip', 'queue', 'cancel_older') then
      format('overlap cannot be "%s": use skip, queue or cancel_older', set_schedule.overlap)
  end;
  if v_wrong is not null then
    raise exception 'Schedule %: %', left(set_schedule.name, 200), v_wrong using errcode = 'invalid_parameter_value';
  end if;
  perform berth_private.check_submit(set_schedule.type, set_schedule.payload, set_schedule.queue, set_schedule.priority,
                             null, set_schedule.metadata);
  perform berth_private.sql_lane(set_schedule.type, set_schedule.limits);  -- refuses what a submit would refuse
  select r.keys, r.weights, r.slots into v_said
    from berth_private.read_limits(set_schedule.type, coalesce(set_schedule.limits, '{}')) r;
  v_quotas := berth_private.read_quotas(set_schedule.type, set_schedule.quotas);
  return berth_private.write_schedule(
    set_schedule.name, set_schedule.cron, case when set_schedule.cron is not null then set_schedule.zone end, v_every::bigint,
    lower(set_schedule.missed), lower(set_schedule.overlap), set_schedule.type, set_schedule.queue,
    set_schedule.priority::smallint, set_schedule.payload::text, set_schedule.metadata,
    v_said.keys || v_key, v_said.weights || 1, v_said.slots || 1,
    v_quotas.keys || v_key, v_quotas.mosts || 1000000, v_quotas.when_full || text 'refuse');
end $$;

create function berth.pause_schedule(p_name text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  update berth_private.schedule s set paused = true, version = default where s.name = p_name and not s.paused;
  return berth_private.schedule_answer(p_name, found);
end $$;

-- What fell into the pause is left out.
create function berth.resume_schedule(p_name text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_queue text;
begin
  update berth_private.schedule s
     set paused = false, since = berth_private.now(), next_at = '-infinity', error = null, version = default
   where s.name = p_name and s.paused
  returning s.queue into v_queue;
  if v_queue is not null then
    perform berth_private.wake_sweep(v_queue);
  end if;
  return berth_private.schedule_answer(p_name, v_queue is not null);
end $$;

-- Its tasks stay.
create function berth.remove_schedule(p_name text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from berth_private.schedule s where s.name = p_name;
  return case when found then 'done' else 'unknown' end;
end $$;

-- A task now, besides all occurrences. 'unchanged': an earlier one is alive, and the schedule skips then; or this task is
-- there already. 'full': a quota of the type is.
create function berth.run_schedule(p_name text, p_task uuid default null) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_schedule berth_private.schedule;
  v_id       uuid := coalesce(p_task, berth_private.new_id());
  v_done     record;
begin
  select * into v_schedule from berth_private.schedule s where s.name = p_name for update;
  if not found then
    return 'unknown';
  end if;
  v_done := berth_private.submit_scheduled(v_schedule, array[v_id], array[date_trunc('milliseconds', berth_private.now())],
    false);
  if v_done.submitted > 0 then
    update berth_private.schedule s set submitted = s.submitted + 1, last_task = v_id where s.name = p_name;
  end if;
  return case when v_done.submitted > 0 then 'done' when v_done.full is not null then 'full' else 'unchanged' end;
end $$;
