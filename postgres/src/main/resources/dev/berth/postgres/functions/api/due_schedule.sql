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

-- Those that are due, or whose next time is to be found.
create function berth.due_schedules() returns table (
  name text, version bigint, cron text, zone text, every bigint, missed text, anchor timestamptz, since timestamptz,
  next_at timestamptz, now timestamptz
) language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := berth_private.now();
begin
  return query
    select s.name, s.version, s.cron, s.zone, s.every, s.missed, s.anchor, s.since, nullif(s.next_at, '-infinity'), v_now
      from berth_private.schedule s
     where not s.paused and s.next_at <= v_now
     order by s.next_at limit 1000;
end $$;

-- What a worker found out of a schedule: the occurrences to submit, with the ids of their tasks, and the next time, or why
-- there is none. 'unchanged': somebody else was first, or an open transaction has what is needed here, and the next sweep
-- tries again: a sweeper that waited would keep all due work waiting.
create function berth.advance_schedule(
  p_name text, p_version bigint, p_ids uuid[], p_times timestamptz[], p_catching_up boolean, p_next timestamptz, p_error text
) returns text language plpgsql set lock_timeout = '100ms'
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_schedule berth_private.schedule;
  v_done     record;
  v_wrong    text;
  v_table    text;
begin
  p_error := left(p_error, 16000);
  perform berth_private.check_due(t) from unnest(p_times || p_next) as t;
  begin
    select * into v_schedule from berth_private.schedule s
     where s.name = p_name and s.version = p_version and not s.paused for update skip locked;
    if not found then
      return 'unchanged';
    end if;
    if p_ids = '{}' then
      update berth_private.schedule s set next_at = p_next, error = p_error, version = default where s.name = p_name;
      return 'done';
    end if;
    v_done := berth_private.submit_scheduled(v_schedule, p_ids, p_times, p_catching_up);
    update berth_private.schedule s
       set next_at   = p_next,
           last_at   = p_times[cardinality(p_times)],
           last_task = case when v_done.submitted > 0 then p_ids[cardinality(p_ids)] else s.last_task end,
           submitted = s.submitted + v_done.submitted,
           skipped   = s.skipped + case when v_done.skipped then cardinality(p_ids) else 0 end,
           error     = 'the task of ' || berth_private.iso_time(p_times[cardinality(p_times)]) || ' was not submitted: the quota '
                       || v_done.full || ' is full',
           version   = default
     where s.name = p_name;
    return 'done';
  exception
    when lock_not_available then
      return 'unchanged';
    -- The id of an occurrence belongs to another task, or such a task cannot be: the schedule says so and goes on without it.
    when unique_violation or check_violation or data_exception then
      get stacked diagnostics v_wrong = message_text, v_table = table_name;
      if starts_with(v_table, 'task_history') then  -- its partition was being made: the next sweep finds it
        return 'unchanged';
      end if;
      update berth_private.schedule s set next_at = p_next, error = v_wrong, version = default
       where s.name = p_name and s.version = p_version;
      return case when found then 'done' else 'unchanged' end;
  end;
end $$;
