-- Ends one session of which the end fails: its tasks one by one, and those that cannot be taken back have failed. One that
-- cannot even fail stays, and with it the session; faults says why.
create function berth_private.expire_each(p_session bigint, out returned integer, out faults text[]) language plpgsql as $$
declare
  v_id uuid;
begin
  returned := 0;
  faults := '{}';
  for v_id in
    select t.id from berth_private.task t where t.session_id = p_session and t.state = 'running' order by t.id for update
  loop
    begin
      returned := returned + berth_private.take_back(array[v_id], 'crashed', 'was lost while the task ran');
    exception
      when lock_not_available or transaction_rollback or insufficient_resources or operator_intervention then
        raise;  -- nothing is wrong with the task
      when others then
        begin
          perform berth_private.fail_task(v_id, 'its worker was lost, and the task could not be taken back: ' || sqlerrm);
        exception when others then
          faults := faults
            || format('task %s of session %s, which has expired, could not be ended: %s', v_id, p_session, sqlerrm);
        end;
    end;
  end loop;
  if faults = '{}' then
    returned := returned + berth_private.end_sessions(array[p_session], 'crashed');
  end if;
end $$;

-- Ends sessions whose heartbeat stopped. SKIP LOCKED: never one in the middle of an exchange, nor one of which somebody has
-- locked a task: of that its other tasks are taken back.
create function berth_private.expire_sessions(out expired integer, out returned integer, out faults text[])
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_dead bigint[] := array(
    select s.id from berth_private.session s where s.expires_at <= berth_private.now() for update skip locked);
  v_free uuid[];
  v_held bigint[];
  v_one  bigint;
  v_each record;
  v_back integer := 0;
begin
  expired := 0;
  returned := 0;
  faults := '{}';
  if v_dead = '{}' then
    return;
  end if;
  v_free := array(
    select t.id from berth_private.task t where t.session_id = any (v_dead) and t.state = 'running' order by t.id
       for update skip locked);
  v_held := array(
    select distinct t.session_id from berth_private.task t
     where t.session_id = any (v_dead) and t.state = 'running'
       and not exists (select from unnest(v_free) as f (id) where f.id = t.id));
  foreach v_one in array v_held loop
    v_dead := array_remove(v_dead, v_one);
    faults := faults || format('session %s has expired and is ended later: somebody else has locked a task of it', v_one);
  end loop;
  if v_held <> '{}' then
    begin
      v_back := berth_private.take_back(
        array(select t.id from berth_private.task t where t.id = any (v_free) and t.session_id = any (v_held)),
        'crashed', 'was lost while the task ran');
    exception when others then
      faults := faults || ('tasks of sessions that have expired are taken back later: ' || sqlerrm);
    end;
  end if;
  begin
    returned := v_back + berth_private.end_sessions(v_dead, 'crashed');
    expired := cardinality(v_dead);
  exception when others then
    returned := v_back;
    foreach v_one in array v_dead loop
      begin
        v_each := berth_private.expire_each(v_one);
        returned := returned + v_each.returned;
        faults := faults || v_each.faults;
        if v_each.faults = '{}' then
          expired := expired + 1;
        end if;
      exception when others then
        faults := faults || format('session %s has expired and could not be ended: %s', v_one, sqlerrm);
      end;
    end loop;
  end;
end $$;
