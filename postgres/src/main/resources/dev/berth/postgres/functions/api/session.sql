-- Its proof is shown by each later call of the session.
create function berth.open_session(
  p_schema integer, p_worker text, p_host text, p_lease interval, p_max integer, p_types text[], p_queues text[],
  out session_id bigint, out proof uuid, out expires_at timestamptz, out size_cap integer
) language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_schema(p_schema);
  perform berth_private.check_name('worker', p_worker);
  perform berth_private.check_positive_span('The lease of a session', p_lease);
  perform berth_private.check_names('task type', p_types);
  perform berth_private.check_names('queue', p_queues);
  insert into berth_private.session as s (opened_at, expires_at, lease, free, max, worker, host, types, queues)
  select n.now, n.now + p_lease, p_lease, p_max, p_max, p_worker, left(p_host, 255), p_types, p_queues
    from berth_private.now() as n (now)
  returning s.id, s.proof, s.expires_at into session_id, proof, expires_at;
  size_cap := (select c.bytes from berth_private.size_cap c);
end $$;

-- Renews the session and stores progress texts. A worker waits at least a second for the answer: whoever waits longer for a
-- lock waits for nobody. alive = false: the session is gone or has expired, stop its tasks.
create function berth.heartbeat(
  p_schema   integer,
  p_session  bigint,
  p_proof    uuid,
  p_free     integer,
  p_max      integer,
  p_memory   real,
  p_ids      uuid[]   default '{}',  -- tasks with news, their tokens, the texts
  p_tokens   bigint[] default '{}',
  p_progress text[]   default '{}',
  out alive boolean, out expires_at timestamptz, out cancel_ids uuid[], out cancel_tokens bigint[],
  out untold bigint[]  -- tokens of tasks whose text was not written since somebody has locked them; null if none
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
  set lock_timeout = '750ms' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := berth_private.now();
  v_free record;
begin
  perform berth_private.check_schema(p_schema);
  update berth_private.session s
     set expires_at = v_now + s.lease, free = p_free, max = p_max, memory = p_memory
   where s.id = p_session and s.proof = p_proof and s.expires_at > v_now
  returning s.expires_at into heartbeat.expires_at;
  alive := found;
  if not alive then
    return;
  end if;
  -- A row that somebody has locked is passed over: its progress must not cost the session, and is told again.
  if p_ids <> '{}' then
    select array_agg(l.ctid) as ctids, array_agg(l.progress) as texts, array_agg(l.token) as tokens into v_free
      from (select t.ctid, left(p.progress, 16000) as progress, p.token
              from unnest(p_ids, p_tokens, p_progress) as p (id, token, progress)
              join berth_private.task t on t.id between p.id and p.id and t.token = p.token  -- a range, as in an exchange
               for no key update of t skip locked) l;
    update berth_private.task t set progress = f.progress
      from unnest(v_free.ctids, v_free.texts) as f (ctid, progress)
     where t.ctid = f.ctid;
    select array_agg(p.token) into untold from unnest(p_tokens) as p (token)
     where p.token <> all (coalesce(v_free.tokens, '{}'));
  end if;
  select array_agg(t.id), array_agg(t.token) into cancel_ids, cancel_tokens
    from berth_private.task t
   where t.session_id = p_session and t.cancel_requested and t.token is not null;
end $$;

-- A worker says goodbye. Returns how many tasks it still held.
create function berth.leave(p_session bigint, p_proof uuid) returns integer language plpgsql
  set lock_timeout = '750ms' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from berth_private.session s where s.id = p_session and s.proof = p_proof for update;
  if not found then
    return 0;
  end if;
  return berth_private.end_sessions(array[p_session], 'released');
end $$;
