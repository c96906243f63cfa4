-- Ends one session of which the end fails: its tasks one by one, and those that cannot be taken back have failed.
create function berth_private.expire_each(p_session bigint) returns integer language plpgsql as $$
declare
  v_id       uuid;
  v_returned integer := 0;
begin
  for v_id in
    select t.id from berth_private.task t where t.session_id = p_session and t.state = 'running' order by t.id for update
  loop
    begin
      v_returned := v_returned + berth_private.take_back(array[v_id], 'crashed', 'was lost while the task ran');
    exception when others then
      perform berth_private.fail_task(v_id, 'its worker was lost, and the task could not be taken back: ' || sqlerrm);
    end;
  end loop;
  return v_returned + berth_private.end_sessions(array[p_session], 'crashed');
end $$;

-- Ends sessions whose heartbeat stopped. SKIP LOCKED: never one in the middle of an exchange.
create function berth_private.expire_sessions(out expired integer, out returned integer) language plpgsql as $$
declare
  v_dead bigint[];
  v_one  bigint;
begin
  select array_agg(d.id) into v_dead
    from (select s.id from berth_private.session s where s.expires_at <= berth_private.now() for update skip locked) d;
  expired := coalesce(cardinality(v_dead), 0);
  returned := 0;
  if expired > 0 then
    begin
      returned := berth_private.end_sessions(v_dead, 'crashed');
    exception when others then
      foreach v_one in array v_dead loop
        begin
          returned := returned + berth_private.expire_each(v_one);
        exception when others then
          raise warning 'Session % has expired and could not be ended: %', v_one, sqlerrm;
        end;
      end loop;
    end;
  end if;
end $$;
