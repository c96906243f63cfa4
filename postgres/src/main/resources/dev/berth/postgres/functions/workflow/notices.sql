-- Lets these workflows go on; takes their notices of those at these places. Returns how many steps were promoted.
create function berth_private.take_notices_of(p_names text[], p_places tid[], p_now timestamptz) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_steps record;
begin
  delete from berth_private.workflow_notice n where n.ctid = any (p_places) and n.workflow = any (p_names);
  v_steps := berth_private.advance(p_names, null, p_now);
  perform berth_private.wake_steps(v_steps.queues, v_steps.priorities, v_steps.due_ats);
  return coalesce(cardinality(v_steps.queues), 0);
end $$;

-- Lets workflows go on to which steps came. p_floor: notices before this time were taken; null: look at all. The notices of
-- one that somebody has locked, or with which something is wrong, stay. After the first lock no other one is waited for.
create function berth_private.take_notices(
  p_floor timestamptz, out promoted integer, out floor timestamptz, out faults text[]
) language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '200ms' as $$
declare
  v_now    timestamptz := berth_private.now();
  v_floor  timestamptz := coalesce(p_floor, '-infinity');
  v_places tid[];
  v_names  text[];
  v_name   text;
  v_stuck  text[] := '{}';
begin
  promoted := 0;
  faults := '{}';
  for v_round in 1 .. 10 loop
    v_places := array(
      select n.ctid from berth_private.workflow_notice n where n.at >= v_floor and n.workflow <> all (v_stuck)
       order by n.at limit 200 for update skip locked);
    exit when v_places = '{}';
    v_names := array(select distinct n.workflow from berth_private.workflow_notice n where n.ctid = any (v_places));
    begin
      promoted := promoted + berth_private.take_notices_of(v_names, v_places, v_now);
    exception when others then
      foreach v_name in array v_names loop
        begin
          promoted := promoted + berth_private.take_notices_of(array[v_name], v_places, v_now);
        exception when others then
          if sqlstate = '55P03' then
            perform set_config('lock_timeout', '1ms', true);
          end if;
          v_stuck := v_stuck || v_name;
          faults := faults || format('workflow %s could not go on: %s', v_name, sqlerrm);
        end;
      end loop;
    end;
  end loop;
  -- A full last round leaves the floor where it is; else never younger than 100 ms, for what commits late.
  floor := case when v_places = '{}' and v_stuck = '{}' then v_now - interval '100 milliseconds' else p_floor end;
end $$;

-- Forgets workflows that have ended, with the results of their steps.
create function berth_private.forget_workflows() returns void language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_names text[];
begin
  v_names := array(
    select w.name from berth_private.workflow w
     where w.keep_until is not null and w.keep_until < berth_private.keep_until(berth_private.now(), 0)
     limit 1000 for update skip locked);
  v_names := array(
    select n from unnest(v_names) as n where (select true from berth_private.task t where t.workflow = n limit 1) is null);
  if v_names <> '{}' then
    delete from berth_private.workflow_step s where s.workflow = any (v_names);
    delete from berth_private.workflow w where w.name = any (v_names);
  end if;
end $$;
