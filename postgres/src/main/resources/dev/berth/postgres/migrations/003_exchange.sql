-- Exchange: the one hot call. A worker hands in what its tasks came to and takes new ones, in one transaction and one
-- round trip.
--
-- THE SESSION. A claim is worth as much as the session that holds it, so no claim or outcome is written before the
-- session's row is locked FOR KEY SHARE. Expiry takes the same row FOR UPDATE SKIP LOCKED: it passes over a session in
-- the middle of an exchange, and an exchange that comes later finds no row and reports 'lost'. Heartbeats change no
-- key column, so they pass.
--
-- REPEATS. A reply can be lost after the commit. The worker then sends the same number again, exchange_log still has
-- it, and the answer is read from the tables again: the claims are this session's tasks with tokens after the one
-- drawn when the number was logged. The log row comes before any other write, so that a repeat which overtakes its
-- own first try waits for it. An exchange that brings nothing and finds nothing writes nothing at all: it draws no
-- transaction id, and its commit does not touch the disk.
--
-- OUTCOMES find their rows through the primary key, with the token as the proof of the lease. A row whose token is
-- another is stale: reported, not touched. No condition on state appears here: it would invite the planner into a
-- partial index full of dead entries.
--
-- CLAIMS come from a line: one queue at one priority, ordered by position. Every claim leaves a dead entry at the head
-- of task_claim, and while any transaction anywhere holds vacuum back they stay. A scan from the start would read all
-- of them, so each line carries a floor, the place where the last claim of that line ended, and the scan starts there.
-- A floor hides what appears behind it: work committed late, or given back by a dead claimer. So the floor given back
-- to the worker is never younger than 100 ms, and the worker sends a line without a floor now and then ('scan').
--
--   scan   priority null. Finds the priorities that have work, from the top, and looks at the first tasks of each: if
--          tasks of other types stand among them it claims by hop, else plain. Reports each priority found.
--   plain  from the floor, the line as it stands, over a bounded number of rows.
--   hop    from the floor, one probe of task_hop per type the worker handles, merged by position. A million tasks of
--          other types in front cost nothing.
--
-- LOCK, THEN UPDATE, in two statements. FOR UPDATE SKIP LOCKED reads a candidate with the statement's snapshot, locks
-- it, and if the row changed in between, checks and returns the version that is current now. An UPDATE in the same
-- statement still looks with the old snapshot and does not see that version: the row would be locked, not claimed. A
-- second statement has a new snapshot, and since the rows are locked by us, their ctids hold still: it updates exactly
-- what was locked. started_at and the tokens are drawn between the two, after the locks: an attempt never seems to
-- start before its predecessor ended, and a later claim of a task never has the lower token.
--
-- The settings on the functions keep cached plans right. The first call may find an empty table, where a sequential
-- scan looks best, and a plan made there is kept until the next analyze.

-- Locks the session and logs the exchange: 'go', or 'lost' (no such session, or expired), or 'repeat' (the number is known).
create function berth.begin_exchange(p_session bigint, p_number bigint) returns text language plpgsql as $$
declare
  v_expires_at timestamptz;
begin
  -- Written as a range read backwards, so that the newest version of the row is met first: heartbeats leave one dead
  -- version each while vacuum is held back.
  select expires_at into v_expires_at from berth.session
   where id between p_session and p_session order by id desc limit 1 for key share;
  if not found or v_expires_at <= berth.now() then
    return 'lost';
  end if;
  insert into berth.exchange_log (session_id, number, first_token)
  values (p_session, p_number, nextval('berth.token'))
  on conflict do nothing;
  if not found then
    return 'repeat';
  end if;
  delete from berth.exchange_log where session_id = p_session and number = p_number - 1;
  return 'go';
end $$;

-- Writes outcomes and returns the tokens of those that were stale, null if none.
create function berth.write_outcomes(
  p_session   bigint,
  p_ids       uuid[],
  p_tokens    bigint[],
  p_outcomes  text[],
  p_texts     text[],
  p_delays    bigint[],
  p_keep_days integer[]
) returns bigint[] language plpgsql as $$
declare
  v_now     timestamptz := berth.now();
  v_today   date        := (v_now at time zone 'UTC')::date;
  v_worker  text;
  v_written bigint[];
  v_back    bigint[];
begin
  select worker into v_worker from berth.session
   where id between p_session and p_session order by id desc limit 1;

  -- The end: finished, failed, cancelled; also what would go back although somebody asked to cancel it.
  with ended as (
    delete from berth.task t
     using unnest(p_ids, p_tokens, p_outcomes, p_texts, p_keep_days) as o (id, token, outcome, text, keep_days)
     where t.id = o.id and t.token = o.token
       and (o.outcome in ('finished', 'failed', 'cancelled') or t.cancel_requested)
    returning t.id, t.submitted_at, t.due_at, t.started_at, o.token, t.attempt, t.failures, t.crashes, t.priority,
              t.type, t.queue, t.payload, t.metadata, o.text, o.keep_days,
              case when o.outcome in ('retry', 'released') then 'cancelled' else o.outcome end::berth.outcome as outcome
  ), kept as (
    insert into berth.task_history (
      task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
      crashes, priority, final, type, queue, worker, error, result, payload, metadata)
    select e.id, e.submitted_at, e.due_at, e.started_at, v_now, p_session, e.token, v_today + e.keep_days, e.outcome,
           e.attempt, e.failures + (e.outcome = 'failed')::integer, e.crashes, e.priority, true, e.type, e.queue,
           v_worker, case when e.outcome <> 'finished' then e.text end, case when e.outcome = 'finished' then e.text end,
           e.payload, e.metadata
      from ended e
     where e.keep_days > 0
  )
  select array_agg(token) into v_written from ended;

  -- Back to the queue: retry spends the attempt and counts a failure, released gives the attempt back.
  if cardinality(v_written) is distinct from cardinality(p_ids) and p_outcomes && array['retry', 'released'] then
    with returned as (
      update berth.task t
         set state        = case when o.delay > 0 then 'waiting' else 'ready' end::berth.task_state,
             position     = v_now,
             due_at       = v_now + o.delay * interval '1 millisecond',
             session_id   = null,
             token        = null,
             attempt      = t.attempt - (o.outcome = 'released')::integer,
             failures     = t.failures + (o.outcome = 'retry')::integer,
             last_error   = case when o.outcome = 'retry' then o.text else t.last_error end,
             progress     = null
        from unnest(p_ids, p_tokens, p_outcomes, p_texts, p_delays, p_keep_days)
          as o (id, token, outcome, text, delay, keep_days)
       where t.id = o.id and t.token = o.token and o.outcome in ('retry', 'released')
      returning t.id, t.submitted_at, t.due_at, t.started_at, o.token, t.attempt, t.failures, t.crashes, t.priority,
                t.type, t.queue, o.text, o.keep_days, o.outcome::berth.outcome
    ), kept as (
      insert into berth.task_history (
        task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
        crashes, priority, final, type, queue, worker, error)
      select r.id, r.submitted_at, r.due_at, r.started_at, v_now, p_session, r.token, v_today + r.keep_days, r.outcome,
             r.attempt + (r.outcome = 'released')::integer, r.failures, r.crashes, r.priority, false, r.type, r.queue, v_worker, r.text
        from returned r
       where r.keep_days > 0
    )
    select array_agg(token) into v_back from returned;
  end if;

  if cardinality(v_written) + coalesce(cardinality(v_back), 0) = cardinality(p_ids) then
    return null;
  end if;
  return (select array_agg(token) from unnest(p_tokens) as o (token)
           where token <> all (coalesce(v_written, '{}') || coalesce(v_back, '{}')));
end $$;

-- Locks up to p_size ready tasks of one line, in its order, and tells where they are, from where to go on, and whether
-- tasks of other types are in the way (then the next claim should hop).
create function berth.lock_line(
  p_queue text, p_priority smallint, p_floor timestamptz, p_hop boolean, p_types text[], p_size integer,
  out ctids tid[], out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
declare
  v_floor  timestamptz := coalesce(p_floor, '-infinity');
  v_window integer     := 4 * p_size + 100;  -- room for rows that other claimers have locked
  v_fresh  timestamptz := berth.now() - interval '100 milliseconds';
begin
  if p_hop then
    select array_agg(l.ctid), max(l.position) into ctids, floor
      from (select t.ctid, t.position
              from (select h.ctid, h.position, h.id
                      from unnest(p_types) as y (type)
                     cross join lateral (
                       select ctid, position, id
                         from berth.task
                        where queue = p_queue and priority = p_priority and type = y.type and state = 'ready'
                          and position >= v_floor
                        order by position, id
                        limit v_window) h
                     order by h.position, h.id) w
              join berth.task t on t.ctid = w.ctid
             where t.state = 'ready'
             order by w.position, w.id
             limit p_size
               for update of t skip locked) l;
    foreign_types := true;
  else
    select array_agg(l.ctid), max(l.position) into ctids, floor
      from (select t.ctid, t.position
              from (select ctid, position, id
                      from berth.task
                     where queue = p_queue and priority = p_priority and state = 'ready' and position >= v_floor
                     order by position, id
                     limit v_window) w
              join berth.task t on t.ctid = w.ctid
             where t.state = 'ready' and t.type = any (p_types)
             order by w.position, w.id
             limit p_size
               for update of t skip locked) l;
    -- Short of what was asked for: the end of the line, or only of what we looked at?
    foreign_types := coalesce(cardinality(ctids), 0) < p_size and exists (
      select from berth.task
       where queue = p_queue and priority = p_priority and state = 'ready' and position >= v_floor
       order by position, id offset v_window - 1 limit 1);
  end if;

  -- The end of the line was seen: whatever comes now is younger than this moment.
  if coalesce(cardinality(ctids), 0) < p_size and (p_hop or not foreign_types) then
    floor := v_fresh;
  end if;
  floor := least(floor, v_fresh);
end $$;

-- Result rows, by kind:
--   claim   a task this session now runs: all columns but position and foreign_types
--   level   a line that was read: queue, priority, position (the floor for the next claim from it), foreign_types
--   stale   an outcome that was refused, the lease was taken away: token
--   cancel  a task this session runs and somebody asked to cancel: id, token
--   lost    the session is gone; nothing was done
create function berth.exchange(
  p_session    bigint,
  p_number     bigint,         -- counts up by one; the same again to repeat after a lost reply
  p_ids        uuid[],         -- outcomes, one entry each: the task,
  p_tokens     bigint[],       --   its lease,
  p_outcomes   text[],         --   finished, failed, cancelled, retry, released,
  p_texts      text[],         --   the result of a finished one, the error of any other,
  p_delays     bigint[],       --   milliseconds until a retry or release is due again, 0 or null: at once,
  p_keep_days  integer[],      --   days to keep the attempt in history, 0: not at all
  p_queues     text[],         -- lines to claim from, in this order: the queue,
  p_priorities smallint[],     --   its priority, null in mode scan,
  p_floors     timestamptz[],  --   the floor, null: from the start,
  p_modes      text[],         --   scan, plain, hop
  p_types      text[],         -- what this worker handles
  p_size       integer         -- how many tasks to claim at most
) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean
) language plpgsql
  set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_verdict  text;
  v_begun    boolean := false;
  v_stale    bigint[];
  v_paused   text[];
  v_ctids    tid[] := '{}';
  v_need     integer := p_size;
  v_priority smallint;
  v_foreign  boolean;
  v_line     record;
  v_now      timestamptz;
begin
  -- Nothing to hand in: look, but do not write before there is something to claim.
  if cardinality(p_ids) > 0 then
    v_verdict := berth.begin_exchange(p_session, p_number);
    v_begun := true;
  else
    select case when s.expires_at <= berth.now() then 'lost' when l.number is not null then 'repeat' else 'go' end into v_verdict
      from berth.session s left join berth.exchange_log l on l.session_id = s.id and l.number = p_number
     where s.id between p_session and p_session order by s.id desc limit 1;
  end if;

  if v_verdict is distinct from 'go' then
    return query select * from berth.repeat_exchange(p_session, p_number, v_verdict);
    return;
  end if;

  if v_begun then
    v_stale := berth.write_outcomes(p_session, p_ids, p_tokens, p_outcomes, p_texts, p_delays, p_keep_days);
    if v_stale is not null then
      update berth.exchange_log l set stale = v_stale where l.session_id = p_session and l.number = p_number;
      return query select 'stale', null::uuid, s.token, null::text, null::text, null::smallint, null::integer,
        null::integer, null::integer, null::timestamptz, null::timestamptz, null::text, null::text[], null::timestamptz,
        null::boolean from unnest(v_stale) as s (token);
    end if;
  end if;

  v_paused := array(select q.name from berth.queue q where q.paused);
  for i in 1 .. coalesce(cardinality(p_queues), 0) loop
    exit when v_need <= 0;
    continue when p_queues[i] = any (v_paused);
    kind := 'level';
    queue := p_queues[i];
    if p_modes[i] = 'scan' then
      v_priority := 10;
      loop
        select t.priority into v_priority from berth.task t
         where t.queue = p_queues[i] and t.priority < v_priority and t.state = 'ready'
         order by t.priority desc limit 1;
        exit when not found;
        select bool_or(w.type <> all (p_types)) into v_foreign
          from (select t.type from berth.task t
                 where t.queue = p_queues[i] and t.priority = v_priority and t.state = 'ready'
                 order by t.position, t.id limit 2 * p_size + 32) w;
        v_line := berth.lock_line(p_queues[i], v_priority, null, v_foreign, p_types, v_need);
        v_ctids := v_ctids || v_line.ctids;
        v_need := p_size - cardinality(v_ctids);
        priority := v_priority;
        position := v_line.floor;
        foreign_types := v_line.foreign_types;
        return next;
        exit when v_need <= 0;
      end loop;
    else
      v_line := berth.lock_line(p_queues[i], p_priorities[i], p_floors[i], p_modes[i] = 'hop', p_types, v_need);
      v_ctids := v_ctids || v_line.ctids;
      v_need := p_size - cardinality(v_ctids);
      priority := p_priorities[i];
      position := v_line.floor;
      foreign_types := v_line.foreign_types;
      return next;
    end if;
  end loop;

  if cardinality(v_ctids) > 0 then
    if not v_begun then
      v_verdict := berth.begin_exchange(p_session, p_number);
      if v_verdict <> 'go' then  -- the first try of this number commits just now, or the session has just expired
        raise exception 'exchange % of session % is under way', p_number, p_session using errcode = 'serialization_failure';
      end if;
    end if;
    v_now := berth.now();
    return query
      update berth.task t
         set state = 'running', session_id = p_session, token = nextval('berth.token'), started_at = v_now,
             attempt = t.attempt + 1
        from unnest(v_ctids) as c (ctid)
       where t.ctid = c.ctid
      returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), null::timestamptz, null::boolean;
  end if;

  return query
    select 'cancel', t.id, t.token, null::text, null::text, null::smallint, null::integer, null::integer, null::integer,
           null::timestamptz, null::timestamptz, null::text, null::text[], null::timestamptz, null::boolean
      from berth.task t where t.session_id = p_session and t.cancel_requested;
end $$;

-- The answer to an exchange that is already in the log, or whose session is gone (p_verdict null or 'lost').
create function berth.repeat_exchange(p_session bigint, p_number bigint, p_verdict text) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean
) language plpgsql as $$
#variable_conflict use_column
declare
  v_log berth.exchange_log;
begin
  if p_verdict is distinct from 'repeat' then
    kind := 'lost';
    return next;
    return;
  end if;
  select * into v_log from berth.exchange_log l where l.session_id = p_session and l.number = p_number;
  return query
    select 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
           t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), null::timestamptz, null::boolean
      from berth.task t
     where t.session_id = p_session and t.token > v_log.first_token and t.state = 'running'
     order by t.token;
  kind := 'stale';
  foreach token in array coalesce(v_log.stale, '{}') loop
    return next;
  end loop;
end $$;
