-- Ends sessions that the caller has locked FOR UPDATE: their tasks are taken back, and what they held without a task.
create function berth_private.end_sessions(p_sessions bigint[], p_outcome berth_private.outcome) returns integer language plpgsql
  set enable_seqscan = off set jit = off as $$
declare
  v_ids   uuid[];
  v_slots berth_private.slots_held[];  -- held without a task,
  v_held  text[];              --   and the limits they are of
  v_count integer;
begin
  -- Lock first, in a statement of its own: the next one then sees every row as it is.
  perform from berth_private.task t
    where t.session_id = any (p_sessions) and t.state = 'running' order by t.id for update;
  v_ids := array(select t.id from berth_private.task t where t.session_id = any (p_sessions) and t.state = 'running');
  with gone as (
    delete from berth_private.hold h where h.session_id = any (p_sessions) returning h.key, h.held
  )
  select array_agg(distinct g.key), array_agg(h) filter (where h is not null) into v_held, v_slots
    from gone g left join lateral unnest(g.held) as h on true;
  v_count := berth_private.take_back(v_ids, p_outcome, 'was lost while the task ran', coalesce(v_slots, '{}'));
  if v_held is not null then
    perform berth_private.wake_waiting(v_held);
  end if;
  delete from berth_private.exchange_log l where l.session_id = any (p_sessions);
  delete from berth_private.slot_waiter w where w.session_id = any (p_sessions);
  delete from berth_private.session s where s.id = any (p_sessions);
  return v_count;
end $$;
