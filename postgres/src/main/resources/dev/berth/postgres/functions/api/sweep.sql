-- Sweep: leaderless upkeep that any worker may run at any time. Nobody is waited for but for a moment: what somebody else
-- has locked is left to the next one.

-- p_step_floor: the step_floor that the last call returned, or the time of a hint; null looks for all notices of steps.
create function berth.sweep(
  p_floor timestamptz default null, p_step_floor timestamptz default null,
  out promoted integer, out floor timestamptz, out next_due timestamptz, out expired integer, out returned integer,
  out step_floor timestamptz,
  out schedules boolean,  -- whether some are due
  out until_due interval, out today date,
  out faults text[]  -- sentences; empty: all went well
) language plpgsql set lock_timeout = '200ms'
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_dead  record;
  v_steps record;
  v_due   record;
begin
  -- Each part by itself, and each item of it where the part fails: what is wrong with one keeps none of the others waiting.
  faults := '{}';
  expired := 0;
  returned := 0;
  promoted := 0;
  begin
    v_dead := berth_private.expire_sessions();
    expired := v_dead.expired;
    returned := v_dead.returned;
    faults := faults || v_dead.faults;
  exception when others then
    faults := faults || ('expired sessions could not be ended: ' || sqlerrm);
  end;
  begin
    faults := faults || berth_private.expire_overrides();
  exception when others then
    faults := faults || ('what was set by hand for a time could not be taken back: ' || sqlerrm);
  end;
  begin
    perform berth_private.charge_late();
  exception when others then
    faults := faults || ('limits could not be settled: ' || sqlerrm);
  end;
  begin
    faults := faults || berth_private.settle_quotas();
  exception when others then
    faults := faults || ('quotas could not be settled: ' || sqlerrm);
  end;
  begin
    perform berth_private.forget_workflows();
  exception when others then
    faults := faults || ('workflows that have ended could not be forgotten: ' || sqlerrm);
  end;
  begin
    v_steps := berth_private.take_notices(p_step_floor);
    step_floor := v_steps.floor;
    promoted := v_steps.promoted;
    faults := faults || v_steps.faults;
  exception when others then
    faults := faults || ('steps of workflows could not be promoted: ' || sqlerrm);
  end;
  begin
    v_due := berth_private.promote(p_floor);
    promoted := promoted + v_due.promoted;
    floor := v_due.floor;
    next_due := v_due.next_due;
  exception when others then
    faults := faults || ('due tasks could not be promoted: ' || sqlerrm);
  end;
  begin
    select least(next_due, n.next_at), n.due into next_due, schedules from berth_private.next_schedule() n;
  exception when others then
    schedules := true;  -- whether some are due is seen when they are read
    faults := faults || ('it could not be found out when a schedule is due: ' || sqlerrm);
  end;
  until_due := next_due - berth_private.now();
  today := berth_private.keep_until(berth_private.now(), 0);
end $$;

-- Makes the history partitions of the next days, for every retention in use. Quick when there is nothing to do.
-- Returns how many were made. Gives way to readers: what cannot be locked at once is left to the next call; null says that
-- there is such.
create function berth.make_partitions(p_days_ahead integer default 2) returns integer language plpgsql
  set lock_timeout = '1s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_day   date;
  v_name  text;
  v_made  integer := 0;
  v_left  boolean := false;
begin
  -- One at a time, and the others wait: whoever goes on finds the partitions there. No advisory lock, which any role could
  -- hold for ever; and who holds this one for long is not waited for.
  begin
    perform from berth_private.schema_version v where v.number = 0 for update;
  exception when lock_not_available then
    return null;
  end;
  perform set_config('lock_timeout', '50ms', true);
  for v_day in
    select distinct berth_private.keep_until(berth_private.now(), d.days + a.ahead)
      from (select finished_days from berth_private.task_type union select failed_days from berth_private.task_type
            union values (7), (30)) as d (days)
     cross join generate_series(0, least(p_days_ahead, 366)) as a (ahead)
     where d.days > 0
     order by 1
  loop
    v_name := 'task_history_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('berth_private.' || v_name) is not null;
    begin
      -- Attach locks the table less than create ... partition of; rows that went to the default partition move over.
      execute format('create table berth_private.%I (like berth_private.task_history including defaults)', v_name);
      execute format('with moved as (delete from berth_private.task_history_default where keep_until = %L returning *) '
                     'insert into berth_private.%I select * from moved', v_day, v_name);
      execute format('alter table berth_private.task_history attach partition berth_private.%I for values from (%L) to (%L)',
                     v_name, v_day, v_day + 1);
      v_made := v_made + 1;
    exception when lock_not_available or check_violation then
      v_left := true;
    end;
  end loop;
  return case when not v_left then v_made end;
end $$;

-- Forgets what nobody needs to keep. A report that reads history is not waited for: its partition goes next time. What
-- cannot go keeps nothing else from going.
create function berth.prune(
  out dropped integer,
  out faults text[]  -- sentences; empty: all went well
) language plpgsql set lock_timeout = '50ms'
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today     date := berth_private.keep_until(berth_private.now(), 0);
  v_partition text;
begin
  dropped := 0;
  faults := '{}';
  for v_partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'berth_private.task_history'::regclass
       and c.relname ~ '^task_history_[0-9]{8}$' and right(c.relname, 8) < to_char(v_today, 'YYYYMMDD')
     order by 1
  loop
    begin
      execute format('drop table berth_private.%I', v_partition);
      dropped := dropped + 1;
    exception
      when lock_not_available then
        null;
      when others then
        faults := faults || format('the history in %s could not be dropped: %s', v_partition, sqlerrm);
    end;
  end loop;
  begin
    delete from berth_private.task_history_default where keep_until < v_today;
  exception when others then
    faults := faults || ('history without a partition could not be forgotten: ' || sqlerrm);
  end;
  begin
    perform berth_private.forget_limits();
  exception when others then
    faults := faults || ('limits that nobody uses could not be forgotten: ' || sqlerrm);
  end;
  begin
    perform berth_private.prune_limit_changes();
  exception when others then
    faults := faults || ('old changes of limits could not be forgotten: ' || sqlerrm);
  end;
  begin
    perform berth_private.prune_sql_tasks();
  exception when others then
    faults := faults || ('SQL tasks that have ended could not be forgotten: ' || sqlerrm);
  end;
end $$;
