-- Sweep: leaderless upkeep that any worker may run at any time.

-- Moves due tasks into the claim index, in due order. p_floor is the floor the last call returned; null looks from the
-- start, which finds tasks whose submit committed after their due time.
create function berth.promote(
  p_floor timestamptz default null, p_size integer default 1000,
  out promoted integer, out floor timestamptz, out next_due timestamptz
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now    timestamptz := berth.now();
  v_floor  timestamptz := coalesce(p_floor, '-infinity');
  v_ctids  tid[];
  v_last   timestamptz;
  v_woken  integer;
begin
  select array_agg(l.ctid order by l.due_at, l.id), max(l.due_at) into v_ctids, v_last
    from (select t.ctid, t.due_at, t.id from berth.task t
           where t.state = 'waiting' and t.due_at <= v_now and t.due_at >= v_floor
           order by t.due_at, t.id limit p_size for update skip locked) l;
  promoted := coalesce(cardinality(v_ctids), 0);

  if promoted > 0 then
    with moved as (
      update berth.task t
         set state = 'ready', position = v_now - (promoted - d.number) * interval '1 microsecond'
        from unnest(v_ctids) with ordinality as d (ctid, number)
       where t.ctid = d.ctid
      returning t.queue, t.priority)
    select count(berth.wake_ready(m.queue, m.priority, v_now - promoted * interval '1 microsecond')) into v_woken
      from (select distinct queue, priority from moved) m;
  end if;

  -- Never younger than 100 ms: work committed late would be hidden until the next look from the start.
  floor := least(case when promoted = p_size then v_last else v_now end, v_now - interval '100 milliseconds');
  select t.due_at into next_due from berth.task t
   where t.state = 'waiting' and t.due_at >= floor order by t.due_at limit 1;
end $$;

-- Ends sessions whose heartbeat stopped. SKIP LOCKED: never one in the middle of an exchange.
create function berth.expire_sessions(out expired integer, out returned integer) language plpgsql as $$
declare
  v_dead bigint[];
begin
  select array_agg(d.id) into v_dead
    from (select s.id from berth.session s where s.expires_at <= berth.now() for update skip locked) d;
  expired := coalesce(cardinality(v_dead), 0);
  returned := case when expired > 0 then berth.end_sessions(v_dead, 'crashed') else 0 end;
end $$;

-- p_step_floor: the step_floor that the last call returned, or the time of a hint; null looks for all notices of steps.
create function berth.sweep(
  p_floor timestamptz default null, p_step_floor timestamptz default null,
  out promoted integer, out floor timestamptz, out next_due timestamptz, out expired integer, out returned integer,
  out step_floor timestamptz,
  out schedules boolean  -- whether some are due
) language plpgsql as $$
declare
  v_steps record;
begin
  select e.expired, e.returned into expired, returned from berth.expire_sessions() e;
  perform berth.expire_overrides();
  perform berth.charge_late();
  perform berth.forget_workflows();
  v_steps := berth.take_notices(p_step_floor);
  step_floor := v_steps.floor;
  select p.promoted, p.floor, p.next_due into promoted, floor, next_due from berth.promote(p_floor) p;
  select least(next_due, n.next_at), n.due into next_due, schedules from berth.next_schedule() n;
  promoted := promoted + v_steps.promoted;
end $$;

-- Makes the history partitions of the next days, for every retention in use. Quick when there is nothing to do.
-- Returns how many were made. Gives way to readers: what cannot be locked at once is left to the next call.
create function berth.make_partitions(p_days_ahead integer default 2) returns integer language plpgsql as $$
declare
  v_day   date;
  v_name  text;
  v_made  integer := 0;
begin
  -- One at a time, and the others wait: whoever goes on finds the partitions there.
  perform pg_advisory_xact_lock(hashtext('berth.make_partitions'));
  perform set_config('lock_timeout', '50ms', true);
  for v_day in
    select distinct berth.keep_until(berth.now(), d.days + a.ahead)
      from (select finished_days from berth.task_type union select failed_days from berth.task_type
            union values (7), (30)) as d (days)
     cross join generate_series(0, p_days_ahead) as a (ahead)
     where d.days > 0
     order by 1
  loop
    v_name := 'task_history_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('berth.' || v_name) is not null;
    begin
      -- Attach locks the table less than create ... partition of; rows that went to the default partition move over.
      execute format('create table berth.%I (like berth.task_history including defaults)', v_name);
      execute format('with moved as (delete from berth.task_history_default where keep_until = %L returning *) '
                     'insert into berth.%I select * from moved', v_day, v_name);
      execute format('alter table berth.task_history attach partition berth.%I for values from (%L) to (%L)',
                     v_name, v_day, v_day + 1);
      v_made := v_made + 1;
    exception when lock_not_available or check_violation then
      null;
    end;
  end loop;
  return v_made;
end $$;

-- Forgets what nobody needs to keep. A report that reads history is not waited for: its partition goes next time.
create function berth.prune() returns integer language plpgsql set lock_timeout = '50ms' as $$
declare
  v_today     date := berth.keep_until(berth.now(), 0);
  v_partition text;
  v_dropped   integer := 0;
begin
  for v_partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'berth.task_history'::regclass
       and c.relname ~ '^task_history_[0-9]{8}$' and right(c.relname, 8) < to_char(v_today, 'YYYYMMDD')
     order by 1
  loop
    begin
      execute format('drop table berth.%I', v_partition);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  delete from berth.task_history_default where keep_until < v_today;
  perform berth.prune_limit_changes();
  perform berth.prune_sql_tasks();
  return v_dropped;
end $$;
