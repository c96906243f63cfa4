-- Sweep: leaderless upkeep that any worker may run at any time.

-- p_step_floor: the step_floor that the last call returned, or the time of a hint; null looks for all notices of steps.
create function berth.sweep(
  p_floor timestamptz default null, p_step_floor timestamptz default null,
  out promoted integer, out floor timestamptz, out next_due timestamptz, out expired integer, out returned integer,
  out step_floor timestamptz,
  out schedules boolean,  -- whether some are due
  out until_due interval, out today date,
  out faults text[]  -- sentences; empty: all went well
) language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ended record;
  v_steps record;
  v_due   record;
begin
  -- Each part by itself: what is wrong with one keeps none of the others from its work.
  faults := '{}';
  expired := 0;
  returned := 0;
  promoted := 0;
  begin
    v_ended := berth_private.expire_sessions();
    expired := v_ended.expired;
    returned := v_ended.returned;
    faults := faults || v_ended.faults;
  exception when others then
    faults := faults || ('expired sessions could not be ended: ' || sqlerrm);
  end;
  begin
    perform berth_private.expire_overrides();
    perform berth_private.charge_late();
  exception when others then
    faults := faults || ('limits could not be settled: ' || sqlerrm);
  end;
  begin
    perform berth_private.settle_quotas();
  exception when others then
    faults := faults || ('quotas could not be settled: ' || sqlerrm);
  end;
  begin
    perform berth_private.forget_workflows();
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
  select least(next_due, n.next_at), n.due into next_due, schedules from berth_private.next_schedule() n;
  until_due := next_due - berth_private.now();
  today := berth_private.keep_until(berth_private.now(), 0);
end $$;

-- Makes the history partitions of the next days, for every retention in use. Quick when there is nothing to do.
-- Returns how many were made. Gives way to readers: what cannot be locked at once is left to the next call.
create function berth.make_partitions(p_days_ahead integer default 2) returns integer language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_day   date;
  v_name  text;
  v_made  integer := 0;
begin
  -- One at a time, and the others wait: whoever goes on finds the partitions there. No advisory lock, which any role could
  -- hold for ever.
  perform from berth_private.schema_version v where v.number = 0 for update;
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
      null;
    end;
  end loop;
  return v_made;
end $$;

-- Forgets what nobody needs to keep. A report that reads history is not waited for: its partition goes next time.
create function berth.prune() returns integer language plpgsql set lock_timeout = '50ms'
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today     date := berth_private.keep_until(berth_private.now(), 0);
  v_partition text;
  v_dropped   integer := 0;
begin
  for v_partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'berth_private.task_history'::regclass
       and c.relname ~ '^task_history_[0-9]{8}$' and right(c.relname, 8) < to_char(v_today, 'YYYYMMDD')
     order by 1
  loop
    begin
      execute format('drop table berth_private.%I', v_partition);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  delete from berth_private.task_history_default where keep_until < v_today;
  perform berth_private.forget_limits();
  perform berth_private.prune_limit_changes();
  perform berth_private.prune_sql_tasks();
  return v_dropped;
end $$;
