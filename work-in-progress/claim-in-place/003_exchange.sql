-- Exchange: the one hot call. A worker hands in what its tasks came to and takes new ones, in one transaction and one
-- round trip.
--
-- THE SESSION. A claim is worth as much as the session that holds it, so nothing is written before the session's row is
-- locked FOR KEY SHARE. Expiry takes the same row FOR UPDATE SKIP LOCKED: it passes over a session in the middle of an
-- exchange, and an exchange that comes later finds the session gone and reports 'lost'. Heartbeats change no key
-- column, so they pass.
--
-- REPEATS. A reply can be lost after the commit. The worker then sends the same number again; exchange_log has it, and
-- the answer is read from there. A repeat that overtakes its own first try does the work a second time, fails at the
-- log's primary key, and is undone as a whole. The worker says which exchanges are settled: it has the answer, and
-- every task claimed by it has come to an outcome. Only then the row goes, because the log is also how the tasks of a
-- dead session are found. It is read by its whole key or from its end, never by a range over dead entries. An exchange
-- that brings nothing and finds nothing writes nothing at all: it draws no transaction id, and its commit does not wait
-- for the disk.
--
-- OUTCOMES find their rows through the primary key, with the token as the proof of the lease. A row whose token is
-- another is stale: reported, not touched.
--
-- CLAIMS come from a line: one queue at one priority, ordered by position. A claim is an update that changes no indexed
-- column, so it touches no index: running tasks stay in the line, and ended ones leave dead entries there, for as long
-- as any transaction anywhere holds vacuum back. A scan from the start would read them all, so a line is read from a
-- floor: where the last claim from it ended. A floor hides what appears behind it: work that was committed late, or
-- locked by a claimer that failed. So the floor we tell is never younger than 100 ms, wake-ups carry the position from
-- which to look again, and now and then the worker reads from the start.
--
--   scan   priority null. Finds the priorities that have work, looks at the first tasks of each, and claims: by hop if
--          tasks of other types stand among them, else plain. Reports every priority found.
--   look   the same from a floor, without claiming: cheap enough to find a priority that has just come into use.
--   plain  the first tasks of the line. If some are of other types, less is claimed and the level row says: hop.
--   hop    one probe of task_hop per type the worker handles, merged by position. A million tasks of other types in
--          front cost nothing.
--
-- LOCK, THEN UPDATE, in two statements. FOR UPDATE SKIP LOCKED reads a candidate with the statement's snapshot, locks
-- it, and if the row changed in between, checks and returns the version that is current now. An UPDATE in the same
-- statement still looks with the old snapshot and does not see that version: the row would be locked, not claimed. A
-- second statement has a new snapshot, and since we hold the locks, the ctids stand still: it updates exactly what was
-- locked. started_at and the tokens are drawn between the two, after the locks: an attempt never seems to start before
-- its predecessor ended, and a later claim of a task never has the lower token.
--
-- Plans must not depend on luck. Every line is read in the order of an index that only this query can use (task_claim,
-- task_hop). The settings on the function keep cached plans right: the first call may find an empty table, where a
-- sequential scan looks best, and a plan made there would live until the next analyze. Six settings cost 2 µs a call.

-- Writes outcomes and returns the tokens of those that were stale, null if none.
create function berth.write_outcomes(
  p_session   bigint,
  p_worker    text,
  p_now       timestamptz,
  p_ids       uuid[],
  p_tokens    bigint[],
  p_outcomes  text[],
  p_texts     text[],
  p_delays    bigint[],
  p_keep_days integer[]
) returns bigint[] language plpgsql as $$
declare
  v_today   date := berth.keep_until(p_now, 0);
  v_written bigint[];
  v_back    bigint[];
begin
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
    select e.id, e.submitted_at, e.due_at, e.started_at, p_now, p_session, e.token, v_today + e.keep_days, e.outcome,
           e.attempt, e.failures + (e.outcome = 'failed')::integer, e.crashes, e.priority, true, e.type, e.queue,
           p_worker, case when e.outcome <> 'finished' then e.text end, case when e.outcome = 'finished' then e.text end,
           e.payload, e.metadata
      from ended e
     where e.keep_days > 0
  )
  select array_agg(token) into v_written from ended;

  -- Back to the queue: retry spends the attempt and counts a failure, released gives the attempt back.
  if cardinality(v_written) is distinct from cardinality(p_ids) and p_outcomes && array['retry', 'released'] then
    with returned as (
      update berth.task t
         set due        = coalesce(o.delay, 0) <= 0,
             position   = p_now,
             due_at     = p_now + coalesce(o.delay, 0) * interval '1 millisecond',
             session_id = null,
             token      = null,
             attempt    = t.attempt - (o.outcome = 'released')::integer,
             failures   = t.failures + (o.outcome = 'retry')::integer,
             last_error = case when o.outcome = 'retry' then o.text else t.last_error end,
             progress   = null
        from unnest(p_ids, p_tokens, p_outcomes, p_texts, p_delays, p_keep_days)
          as o (id, token, outcome, text, delay, keep_days)
       where t.id = o.id and t.token = o.token and o.outcome in ('retry', 'released')
      returning t.id, t.submitted_at, t.due_at, t.started_at, o.token, t.attempt, t.failures, t.crashes, t.priority,
                t.type, t.queue, o.text, o.keep_days, o.outcome::berth.outcome
    ), kept as (
      insert into berth.task_history (
        task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
        crashes, priority, final, type, queue, worker, error)
      select r.id, r.submitted_at, r.due_at, r.started_at, p_now, p_session, r.token, v_today + r.keep_days, r.outcome,
             r.attempt + (r.outcome = 'released')::integer, r.failures, r.crashes, r.priority, false, r.type,
             r.queue, p_worker, r.text
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

-- The next lower priority of a queue that has tasks to claim (from the top if p_after is null), where they begin, and
-- whether tasks of other types stand among the first p_peek. priority null: there is none.
create function berth.next_level(
  p_queue text, p_after smallint, p_floor timestamptz, p_types text[], p_peek integer,
  out priority smallint, out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
begin
  select l.priority, h.position into next_level.priority, next_level.floor
    from generate_series(coalesce(p_after, 10) - 1, 0, -1) as l (priority)
   cross join lateral (
     select t.position
       from berth.task t
      where t.queue = p_queue and t.priority = l.priority::smallint and t.position >= p_floor and t.token is null
        and t.due and t.priority >= 0
      order by t.position, t.id
      limit 1) h
   limit 1;
  if found then
    select bool_or(w.type <> all (p_types)) into next_level.foreign_types
      from (select t.type
              from berth.task t
             where t.queue = p_queue and t.priority = next_level.priority and t.position >= next_level.floor
               and t.token is null and t.due and t.priority >= 0
             order by t.position, t.id
             limit p_peek) w;
  end if;
end $$;

-- Locks up to p_size tasks of one line, in its order, and tells which, where they are, from where to go on, and whether
-- to hop next time. Plain takes a bounded number of rows, whatever they are: one of another type is let go, unclaimed.
create function berth.lock_line(
  p_queue text, p_priority smallint, p_floor timestamptz, p_hop boolean, p_types text[], p_size integer,
  p_now timestamptz, out ids uuid[], out ctids tid[], out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
declare
  v_locked integer;
begin
  if p_hop then
    select array_agg(l.id), array_agg(l.ctid), max(l.position), count(*), true
      into ids, ctids, floor, v_locked, foreign_types
      from (select t.id, t.ctid, t.position
              from (select h.ctid, h.position, h.id
                      from unnest(p_types) as y (type)
                     cross join lateral (
                       select ctid, position, id
                         from berth.task
                        where queue = p_queue and priority = p_priority and type = y.type and position >= p_floor
                          and token is null and due and priority <= 9
                        order by position, id
                        limit 2 * p_size + 32) h  -- room for rows that other claimers have locked
                     order by h.position, h.id) w
              join berth.task t on t.ctid = w.ctid
             where t.due and t.token is null
             order by w.position, w.id
             limit p_size
               for update of t skip locked) l;
  else
    select array_agg(l.id) filter (where l.ours), array_agg(l.ctid) filter (where l.ours), max(l.position), count(*),
           not coalesce(bool_and(l.ours), true)
      into ids, ctids, floor, v_locked, foreign_types
      from (select id, ctid, position, type = any (p_types) as ours
              from berth.task
             where queue = p_queue and priority = p_priority and position >= p_floor
               and token is null and due and priority >= 0
             order by position, id
             limit p_size
               for update skip locked) l;
  end if;
  -- Fewer than asked for: the end was seen, whatever comes now is younger than this moment.
  if v_locked < p_size then
    floor := p_now;
  end if;
  floor := least(floor, p_now - interval '100 milliseconds');
end $$;

-- Result rows, by kind:
--   claim   a task this session now runs: all columns but foreign_types; in no order, position tells it
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
  p_priorities smallint[],     --   its priority, null in modes scan and look,
  p_floors     timestamptz[],  --   the floor, null: from the start,
  p_modes      text[],         --   scan, look, plain, hop
  p_types      text[],         -- what this worker handles
  p_size       integer,        -- how many tasks to claim at most
  p_settled    bigint[] default '{}'  -- earlier exchanges: answered, and all their claims have come to an outcome
) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text,
  "position" timestamptz, foreign_types boolean
) language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_shift   interval    := (select shift from berth.clock);
  v_now     timestamptz := clock_timestamp() + v_shift;
  v_session record;
  v_stale   bigint[];
  v_paused  text[];
  v_line    record;
  v_claimed uuid[]  := '{}';
  v_ctids   tid[]   := '{}';
  v_need    integer := p_size;
begin
  -- A range read backwards meets the newest version of the row first: heartbeats leave a dead one each while vacuum is
  -- held back.
  select s.expires_at > v_now as alive, s.worker,
         exists (select from berth.exchange_log l where l.session_id = p_session and l.number = p_number) as repeated
    into v_session
    from berth.session s
   where s.id between p_session and p_session
   order by s.id desc limit 1;
  if not found or not v_session.alive then
    kind := 'lost';
    return next;
    return;
  elsif v_session.repeated then
    return query select * from berth.answer_again(p_session, p_number);
    return;
  end if;

  if cardinality(p_ids) > 0 then
    perform berth.lock_session(p_session);
    v_stale := berth.write_outcomes(
      p_session, v_session.worker, v_now, p_ids, p_tokens, p_outcomes, p_texts, p_delays, p_keep_days);
    if v_stale is not null then
      kind := 'stale';
      foreach token in array v_stale loop
        return next;
      end loop;
      token := null;
    end if;
  end if;

  kind := 'level';
  v_paused := array(select q.name from berth.queue q where q.paused);
  for i in 1 .. cardinality(p_queues) loop
    continue when p_queues[i] = any (v_paused);
    queue := p_queues[i];
    priority := p_priorities[i];
    foreign_types := p_modes[i] = 'hop';
    loop
      position := coalesce(p_floors[i], '-infinity');
      if p_modes[i] in ('scan', 'look') then
        select l.priority, l.floor, l.foreign_types into priority, position, foreign_types
          from berth.next_level(queue, priority, position, p_types, 2 * p_size + 32) l;
        exit when priority is null;
      end if;
      if v_need > 0 and p_modes[i] <> 'look' then
        v_line := berth.lock_line(queue, priority, position, foreign_types, p_types, v_need, v_now);
        v_claimed := v_claimed || v_line.ids;
        v_ctids := v_ctids || v_line.ctids;
        v_need := p_size - cardinality(v_claimed);
        position := v_line.floor;
        foreign_types := v_line.foreign_types;
      end if;
      return next;
      exit when p_modes[i] not in ('scan', 'look');
    end loop;
  end loop;

  if cardinality(p_ids) > 0 or cardinality(v_claimed) > 0 then
    if cardinality(p_ids) = 0 then
      perform berth.lock_session(p_session);
    end if;
    insert into berth.exchange_log (session_id, number, claimed, stale)
    values (p_session, p_number, v_claimed, v_stale)
    on conflict do nothing;
    if not found then
      raise exception 'exchange % of session % has just been made', p_number, p_session
        using errcode = 'serialization_failure', hint = 'Repeat it to get its answer.';
    end if;
    -- A request that was on its way while its repeat and the next exchange went through: its claims would run nowhere.
    if exists (select from berth.exchange_log l where l.session_id = p_session and l.number > p_number) then
      raise exception 'exchange % of session % is older than the last one', p_number, p_session
        using errcode = 'invalid_parameter_value';
    end if;
    -- Only now that our own row is there: the last row of a session stays, to tell such late requests.
    delete from berth.exchange_log l where l.session_id = p_session and l.number = any (p_settled);
  end if;

  if cardinality(v_claimed) > 0 then
    v_now := clock_timestamp() + v_shift;
    return query
      update berth.task t
         set session_id = p_session, token = nextval('berth.token'), started_at = v_now, attempt = t.attempt + 1
       where t.ctid = any (v_ctids)
      returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                t.submitted_at, t.due_at, t.payload, t.metadata::text, t.position, null::boolean;
  end if;

  return query
    select 'cancel', t.id, t.token, null::text, null::text, null::smallint, null::integer, null::integer, null::integer,
           null::timestamptz, null::timestamptz, null::text, null::text, null::timestamptz, null::boolean
      from berth.task t where t.cancel_requested and t.session_id = p_session;
end $$;

-- Keeps the session alive until the end of the transaction; fails if it has just been expired.
create function berth.lock_session(p_session bigint) returns void language plpgsql as $$
begin
  perform from berth.session s
    where s.id between p_session and p_session order by s.id desc limit 1 for key share;
  if not found then
    raise exception 'session % has just expired', p_session using errcode = 'serialization_failure';
  end if;
end $$;

-- The answer to an exchange that is in the log.
create function berth.answer_again(p_session bigint, p_number bigint) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text,
  "position" timestamptz, foreign_types boolean
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
    select 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
           t.submitted_at, t.due_at, t.payload, t.metadata::text, null::timestamptz, null::boolean
      from berth.exchange_log l
     cross join unnest(l.claimed) with ordinality as c (id, number)
      join berth.task t on t.id = c.id and t.session_id = l.session_id
     where l.session_id = p_session and l.number = p_number
     order by c.number;
  kind := 'stale';
  for token in
    select unnest(l.stale) from berth.exchange_log l where l.session_id = p_session and l.number = p_number
  loop
    return next;
  end loop;
end $$;
