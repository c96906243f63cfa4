-- Schedules: tasks that are submitted again and again.
--
-- WHEN an occurrence is, only Java can say: SQL has no cron. A row has the next time; a sweep finds the rows that are due,
-- and whoever swept comes back with what is to be submitted and with the time after that (advance_schedule).
--
-- EACH OCCURRENCE ONCE. All workers find the same row due, at the same moment. The version of the row decides: it changes
-- with every change, and who brings an old one changes nothing. Tasks and next time are written in one transaction.
--
-- TWO KEYS. The id of a task is made from the schedule and the time of the occurrence: that one is not submitted twice. What
-- overlaps is told by a key without the time, schedule/NAME: as a quota it knows the tasks that are alive, as a limit of one
-- slot it lets them run one after another.

create sequence berth.schedule_version as bigint;

create table berth.schedule (
  name        text        not null,
  version     bigint      not null default nextval('berth.schedule_version'),
  cron        text,                             -- one of cron and every
  zone        text,
  every       bigint,                           -- milliseconds
  missed      text        not null,
  overlap     text        not null,
  anchor      timestamptz not null,             -- from which a fixed rate is counted
  since       timestamptz not null,             -- where the next time is to be found: the first after this
  next_at     timestamptz,                      -- -infinity: to be found by a worker; null: there is none, see error
  paused      boolean     not null default false,
  last_at     timestamptz,                      -- the last occurrence,
  last_task   uuid,                             --   and the last task
  submitted   bigint      not null default 0,
  skipped     bigint      not null default 0,   -- occurrences that were left out because an earlier task was alive
  error       text,
  -- what is submitted, as in task
  type        text        not null,
  queue       text        not null,
  priority    smallint    not null,
  payload     text        not null,
  metadata    jsonb,
  lane        text        not null,
  limits      text[]      not null,
  weights     integer[]   not null,
  said_slots  integer[]   not null,
  quotas      text[]      not null,             -- in the order in which they decide
  quota_mosts integer[]   not null,
  when_full   text[]      not null,
  constraint schedule_pkey primary key (name),
  constraint schedule_times check ((cron is null) <> (every is null) and (cron is null) = (zone is null)),
  constraint schedule_missed check (missed in ('once', 'all', 'none')),
  constraint schedule_overlap check (overlap in ('skip', 'queue', 'cancel_older'))
);

create index schedule_next on berth.schedule (next_at) where not paused;

create view berth.schedules as
  select s.name, s.cron, s.zone, s.every * interval '1 millisecond' as every, s.missed, s.overlap, s.type, s.queue, s.priority,
         s.payload, s.metadata, s.paused, case when not s.paused then nullif(s.next_at, '-infinity') end as next_at,
         s.last_at, s.last_task, s.submitted, s.skipped, s.error
    from berth.schedule s;

create function berth.schedule_key(p_name text) returns text language sql immutable as $$
  select 'schedule/' || replace(replace(p_name, '%', '%25'), '/', '%2F')
$$;

-- Workers sweep at once: there is a time to be found.
create function berth.wake_sweep(p_queue text) returns void language sql as $$
  select pg_notify('berth', 'due 0 ' || p_queue)
$$;

-- Makes a schedule or changes it; what is submitted has its key already. Answers 'done' or 'unchanged'.
-- Where the times are those from before, what is due stays due.
create function berth.put_schedule(
  p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text,
  p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[],
  p_quotas text[], p_mosts integer[], p_when_full text[]
) returns text language plpgsql as $$
declare
  v_now  timestamptz := date_trunc('milliseconds', berth.now());
  v_lane record := berth.lane_of(p_limits, p_weights, p_said_slots);
begin
  insert into berth.schedule as s (
    name, cron, zone, every, missed, overlap, anchor, since, next_at, type, queue, priority, payload, metadata, lane, limits,
    weights, said_slots, quotas, quota_mosts, when_full)
  values (p_name, p_cron, p_zone, p_every, p_missed, p_overlap, v_now, v_now, '-infinity', p_type, p_queue, p_priority,
          p_payload, p_metadata, v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots, p_quotas, p_mosts, p_when_full)
  on conflict (name) do update
     set (cron, zone, every, missed, overlap, type, queue, priority, payload, metadata, lane, limits, weights, said_slots,
          quotas, quota_mosts, when_full)
           = (excluded.cron, excluded.zone, excluded.every, excluded.missed, excluded.overlap, excluded.type, excluded.queue,
              excluded.priority, excluded.payload, excluded.metadata, excluded.lane, excluded.limits, excluded.weights,
              excluded.said_slots, excluded.quotas, excluded.quota_mosts, excluded.when_full),
         (anchor, since, next_at, error)
           = (select case when d.times then excluded.anchor else s.anchor end,
                     case when d.times or s.error is not null then excluded.since else s.since end,
                     case when d.times or s.next_at is null then '-infinity' else s.next_at end,
                     null::text
                from (select (s.cron, s.zone, s.every) is distinct from (excluded.cron, excluded.zone, excluded.every) as times) d),
         version = excluded.version
   where s.error is not null
      or (s.cron, s.zone, s.every, s.missed, s.overlap, s.type, s.queue, s.priority, s.payload, s.metadata, s.lane, s.said_slots,
          s.quotas, s.quota_mosts, s.when_full)
         is distinct from
         (excluded.cron, excluded.zone, excluded.every, excluded.missed, excluded.overlap, excluded.type, excluded.queue,
          excluded.priority, excluded.payload, excluded.metadata, excluded.lane, excluded.said_slots, excluded.quotas,
          excluded.quota_mosts, excluded.when_full);
  if not found then
    return 'unchanged';
  end if;
  perform berth.wake_sweep(p_queue);
  return 'done';
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
) returns text language plpgsql as $$
declare
  v_wrong  text;
  v_key    text := berth.schedule_key(set_schedule.name);
  v_every  numeric := extract(epoch from set_schedule.every) * 1000;
  v_said   record;
  v_quotas text[];
  v_mosts  integer[];
begin
  if set_schedule.name is null or set_schedule.name !~ '\S' then
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
    when set_schedule.cron !~ '^\s*([-0-9A-Za-z*/,]+\s+){4}[-0-9A-Za-z*/,]+\s*$' then
      format('"%s" is not a cron expression: use five fields, minute, hour, day, month and weekday, such as "0 3 * * *"',
             set_schedule.cron)
    when set_schedule.cron is not null and not berth.is_zone(set_schedule.zone) then
      format('the time zone "%s" does not exist: use the name of one, such as Europe/Berlin or UTC', set_schedule.zone)
    when set_schedule.missed is null or lower(set_schedule.missed) not in ('once', 'all', 'none') then
      format('missed cannot be "%s": use once, all or none', set_schedule.missed)
    when set_schedule.overlap is null or lower(set_schedule.overlap) not in ('skip', 'queue', 'cancel_older') then
      format('overlap cannot be "%s": use skip, queue or cancel_older', set_schedule.overlap)
  end;
  if v_wrong is not null then
    raise exception 'Schedule %: %', left(set_schedule.name, 200), v_wrong using errcode = 'invalid_parameter_value';
  end if;
  perform berth.check_submit(set_schedule.type, set_schedule.payload, set_schedule.queue, set_schedule.priority,
                             set_schedule.metadata);
  perform berth.sql_lane(set_schedule.type, set_schedule.limits);  -- refuses what a submit would refuse
  select r.keys, r.weights, r.slots into v_said
    from berth.read_limits(set_schedule.type, coalesce(set_schedule.limits, '{}')) r;
  if set_schedule.quotas is not null then
    select r.keys, r.mosts into v_quotas, v_mosts from berth.read_quotas(set_schedule.quotas) r;
  end if;
  return berth.put_schedule(
    set_schedule.name, set_schedule.cron, case when set_schedule.cron is not null then set_schedule.zone end, v_every::bigint,
    lower(set_schedule.missed), lower(set_schedule.overlap), set_schedule.type, set_schedule.queue,
    set_schedule.priority::smallint, set_schedule.payload::text, set_schedule.metadata,
    v_said.keys || v_key, v_said.weights || 1, v_said.slots || 1,
    v_quotas || v_key, v_mosts || 1000000, array_fill('refuse'::text, array[coalesce(cardinality(v_quotas), 0) + 1]));
end $$;

create function berth.is_zone(p_zone text) returns boolean language plpgsql stable as $$
begin
  return timestamptz 'epoch' at time zone p_zone is not null;
exception when invalid_parameter_value then
  return false;
end $$;

create function berth.pause_schedule(p_name text) returns text language plpgsql as $$
begin
  update berth.schedule s set paused = true, version = default where s.name = p_name and not s.paused;
  return berth.schedule_answer(p_name, found);
end $$;

-- What fell into the pause is left out.
create function berth.resume_schedule(p_name text) returns text language plpgsql as $$
declare
  v_queue text;
begin
  update berth.schedule s
     set paused = false, since = berth.now(), next_at = '-infinity', error = null, version = default
   where s.name = p_name and s.paused
  returning s.queue into v_queue;
  if v_queue is not null then
    perform berth.wake_sweep(v_queue);
  end if;
  return berth.schedule_answer(p_name, v_queue is not null);
end $$;

create function berth.schedule_answer(p_name text, p_changed boolean) returns text language sql stable as $$
  select case when p_changed then 'done'
              when exists (select from berth.schedule s where s.name = p_name) then 'unchanged' else 'unknown' end
$$;

-- Its tasks stay.
create function berth.remove_schedule(p_name text) returns text language plpgsql as $$
begin
  delete from berth.schedule s where s.name = p_name;
  return case when found then 'done' else 'unknown' end;
end $$;

create function berth.iso_time(p_time timestamptz) returns text language sql immutable as $$
  select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
         || case when extract(milliseconds from p_time)::bigint % 1000 = 0 then ''
                 else to_char(p_time at time zone 'UTC', '.MS') end || 'Z'
$$;

-- Submits tasks of a schedule whose row is locked. submitted: how many are new. full: the quota that kept some out, which
-- is that of the type. skipped: an earlier task is alive.
-- Older tasks are locked together, before any count of a quota: see the order of locks there.
create function berth.submit_scheduled(
  p_schedule berth.schedule, p_ids uuid[], p_times timestamptz[], p_catching_up boolean,
  out skipped boolean, out submitted integer, out "full" text
) language plpgsql as $$
declare
  v_key     text := berth.schedule_key(p_schedule.name);
  v_count   integer := cardinality(p_ids);
  v_older   uuid[];
  v_written record;
begin
  skipped := not p_catching_up and p_schedule.overlap = 'skip'
             and exists (select from berth.quota_task q where q.key = v_key);
  submitted := 0;
  if skipped then
    return;
  end if;
  if p_schedule.overlap = 'cancel_older' and not p_catching_up then
    v_older := array(select t.id from berth.task t
                      where t.id in (select q.task_id from berth.quota_task q where q.key = v_key) and t.id <> all (p_ids)
                      order by t.id for update);
    perform berth.cancel(t.id, 'cancelled for task ' || p_ids[1])
       from berth.task t where t.id = any (v_older) and not t.cancel_requested;
  end if;
  v_written := berth.submit_batch(
    p_ids, array_fill(p_schedule.type, array[v_count]), array_fill(p_schedule.queue, array[v_count]),
    array_fill(p_schedule.priority, array[v_count]), array_fill(null::timestamptz, array[v_count]),
    array_fill(0::bigint, array[v_count]), array_fill(p_schedule.payload, array[v_count]),
    array(select (coalesce(berth.pairs(p_schedule.metadata), '{}')
                  || array['berth.schedule', p_schedule.name, 'berth.occurrence', berth.iso_time(t.time)])::text
            from unnest(p_times) with ordinality as t (time, number) order by t.number),
    array_fill(p_schedule.lane, array[v_count]), array_fill(p_schedule.limits::text, array[v_count]),
    array_fill(p_schedule.weights::text, array[v_count]), array_fill(p_schedule.said_slots::text, array[v_count]),
    true, array_fill(p_schedule.quotas::text, array[v_count]), array_fill(p_schedule.quota_mosts::text, array[v_count]),
    array_fill(p_schedule.when_full::text, array[v_count]));
  "full" := v_written.full_keys[1];
  submitted := v_count - coalesce(cardinality(v_written.existing), 0) - coalesce(cardinality(v_written.full_ids), 0);
  if submitted > 0 then
    perform berth.wake_ready(p_schedule.queue, -2, transaction_timestamp() + (select shift from berth.clock));
  end if;
end $$;

-- A task now, besides all occurrences. 'unchanged': an earlier one is alive, and the schedule skips then; or this task is
-- there already. 'full': a quota of the type is.
create function berth.run_schedule(p_name text, p_task uuid default null) returns text language plpgsql as $$
declare
  v_schedule berth.schedule;
  v_id       uuid := coalesce(p_task, berth.new_id());
  v_done     record;
begin
  select * into v_schedule from berth.schedule s where s.name = p_name for update;
  if not found then
    return 'unknown';
  end if;
  v_done := berth.submit_scheduled(v_schedule, array[v_id], array[date_trunc('milliseconds', berth.now())], false);
  if v_done.submitted > 0 then
    update berth.schedule s set submitted = s.submitted + 1, last_task = v_id where s.name = p_name;
  end if;
  return case when v_done.submitted > 0 then 'done' when v_done.full is not null then 'full' else 'unchanged' end;
end $$;

-- For the sweep: whether any is due, and when the next one is that is not.
create function berth.next_schedule(out due boolean, out next_at timestamptz) language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_now timestamptz := berth.now();
begin
  due := exists (select from berth.schedule s where not s.paused and s.next_at <= v_now);
  select s.next_at into next_schedule.next_at from berth.schedule s
   where not s.paused and s.next_at > v_now order by s.next_at limit 1;
end $$;

-- Those that are due, or whose next time is to be found.
create function berth.due_schedules() returns table (
  name text, version bigint, cron text, zone text, every bigint, missed text, anchor timestamptz, since timestamptz,
  next_at timestamptz, now timestamptz
) language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_now timestamptz := berth.now();
begin
  return query
    select s.name, s.version, s.cron, s.zone, s.every, s.missed, s.anchor, s.since, nullif(s.next_at, '-infinity'), v_now
      from berth.schedule s
     where not s.paused and s.next_at <= v_now
     order by s.next_at limit 1000;
end $$;

-- What a worker found out of a schedule: the occurrences to submit, with the ids of their tasks, and the next time, or why
-- there is none. 'unchanged': somebody else was first, or an open transaction has what is needed here, and the next sweep
-- tries again: a sweeper that waited would keep all due work waiting.
create function berth.advance_schedule(
  p_name text, p_version bigint, p_ids uuid[], p_times timestamptz[], p_catching_up boolean, p_next timestamptz, p_error text
) returns text language plpgsql set lock_timeout = '500ms' as $$
declare
  v_schedule berth.schedule;
  v_done     record;
begin
  select * into v_schedule from berth.schedule s
   where s.name = p_name and s.version = p_version and not s.paused for update skip locked;
  if not found then
    return 'unchanged';
  end if;
  if p_ids = '{}' then
    update berth.schedule s set next_at = p_next, error = p_error, version = default where s.name = p_name;
    return 'done';
  end if;
  v_done := berth.submit_scheduled(v_schedule, p_ids, p_times, p_catching_up);
  update berth.schedule s
     set next_at   = p_next,
         last_at   = p_times[cardinality(p_times)],
         last_task = case when v_done.submitted > 0 then p_ids[cardinality(p_ids)] else s.last_task end,
         submitted = s.submitted + v_done.submitted,
         skipped   = s.skipped + case when v_done.skipped then cardinality(p_ids) else 0 end,
         error     = 'the task of ' || berth.iso_time(p_times[cardinality(p_times)]) || ' was not submitted: the quota '
                     || v_done.full || ' is full',
         version   = default
   where s.name = p_name;
  return 'done';
exception when lock_not_available then
  return 'unchanged';
end $$;
