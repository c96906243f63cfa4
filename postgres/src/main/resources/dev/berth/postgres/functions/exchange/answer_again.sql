-- What this session runs and somebody asked to cancel, as rows of an exchange.
create function berth_private.cancel_requests(p_session bigint) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
    select 'cancel', t.id, t.token, null::text, null::text, null::smallint, null::integer, null::integer, null::integer,
           null::timestamptz, null::timestamptz, null::text, null::text[], null::timestamptz, null::boolean, null::text
      from berth_private.task t where t.session_id = p_session and t.cancel_requested;
end $$;

-- The answer to an exchange that is already in the log, or whose session is gone (p_verdict null or 'lost').
create function berth_private.answer_again(
  p_session bigint, p_apart boolean, p_number bigint, p_verdict text,
  p_unread boolean  -- whether the claims come without their payload
) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
) language plpgsql as $$
#variable_conflict use_column
declare
  v_log berth_private.exchange_log;
begin
  if p_verdict is distinct from 'repeat' then
    kind := 'lost';
    return next;
    return;
  end if;
  select * into v_log from berth_private.exchange_log l
   where l.session_id = p_session and l.apart = p_apart and l.number = p_number;
  return query
    select 'claim', t.id, t.token, t.type, t.queue, t.priority::smallint, t.attempt, t.failures, t.crashes,
           t.submitted_at::timestamptz, t.due_at::timestamptz, case when p_unread then '' else t.payload end,
           case when not p_unread then berth_private.pairs(t.metadata) end, t.position::timestamptz, t.standby, t.lane::text
      from berth_private.task t
     where not p_apart and t.session_id = p_session and t.token > v_log.first_token and t.state = 'running'
     order by t.token;
  kind := 'stale';
  foreach token in array coalesce(v_log.stale, '{}') loop
    return next;
  end loop;
  kind := 'aside';
  foreach token in array coalesce(v_log.aside, '{}') loop
    return next;
  end loop;
  return query select * from berth_private.cancel_requests(p_session);
end $$;
