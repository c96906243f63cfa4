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
-- HALVES. One that carries many outcomes of open work may come in two halves at the same time, on two connections: one
-- hands in, the other claims. Each is logged under the same number and is repeated as a whole is.
--
-- OUTCOMES find their rows through the primary key, with the token as the proof of the lease. A row whose token is
-- another is stale: reported, not touched. No condition on state appears here: it would invite the planner into a
-- partial index full of dead entries. And the key is looked up as a range, not as an equality: by one the planner could
-- also walk the whole index in its order, which it does if the table was small when it was last analyzed.
--
-- CLAIMS come from a line: one queue at one priority, ordered by position. Every claim leaves a dead entry at the head
-- of task_claim, and while any transaction anywhere holds vacuum back they stay. A scan from the start would read all
-- of them, so each line carries a floor, the place where the last claim of that line ended, and the scan starts there.
-- A floor hides what appears behind it: work committed late, or given back by a dead claimer. So the floor given back
-- to the worker is never younger than 100 ms, and the worker sends a line without a floor now and then ('scan').
--
--   scan   priority null. Finds the priorities that have work, from the top, and looks at the first tasks of each: if
--          tasks of other types stand among them it claims by hop, else plain. Reports each priority found.
--   plain  from the floor, the first tasks of the line. If some are of other types, the rest is taken by hop.
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
-- Plans must not depend on luck. Every line is read in the order of an index that only this query can use (task_claim,
-- task_hop), and the log is only ever read by its whole key or from its end: a range would read the dead entries of all
-- earlier exchanges. The settings on the function keep cached plans right: the first call may find an empty table, where
-- a sequential scan looks best, and a plan made there is kept until the next analyze.

-- Locks the session and logs the exchange: 'go', or 'lost' (no such session, or expired), or 'repeat' (number known).
create function berth.begin_exchange(
  p_session bigint, p_apart boolean, p_number bigint, p_now timestamptz,
  out verdict text, out worker text, out before timestamptz  -- when the exchange before it was
) language plpgsql as $$
declare
  v_session record;
  v_late    boolean;
begin
  -- Written as a range read backwards, so that the newest version of the row is met first: heartbeats leave one dead
  -- version each while vacuum is held back.
  select s.expires_at, s.worker into v_session from berth.session s
   where s.id between p_session and p_session order by s.id desc limit 1 for key share;
  if not found or v_session.expires_at <= p_now then
    verdict := 'lost';
    return;
  end if;
  worker := v_session.worker;
  insert into berth.exchange_log (session_id, apart, number, first_token, at)
  values (p_session, p_apart, p_number, nextval('berth.token'), p_now)
  on conflict do nothing;
  if not found then
    verdict := 'repeat';
    return;
  end if;
  -- The one before is forgotten; it is read backwards, so that it is met first, and the dead entries of all others lie
  -- behind it. And one that was on its way while its repeat and the next exchange went through must not take place: its
  -- claims would run nowhere. That is looked for after the insert, which waits for whoever is writing the same number.
  with forgotten as (
    delete from berth.exchange_log l
     where l.session_id = p_session and l.apart = p_apart
       and l.number = (select b.number from berth.exchange_log b
                        where b.session_id = p_session and b.apart = p_apart and b.number < p_number
                        order by b.number desc limit 1)
    returning l.at
  )
  select (select f.at from forgotten f),
         exists (select from berth.exchange_log l
                  where l.session_id = p_session and l.apart = p_apart and l.number > p_number)
    into before, v_late;
  if v_late then
    raise exception 'exchange % of session % is older than the last one', p_number, p_session
      using errcode = 'invalid_parameter_value';
  end if;
  verdict := 'go';
end $$;

-- Writes outcomes. Returns the tokens of those that were stale, and where tasks went back to, or came to since those
-- before them in their workflows have ended; null if none.
--
-- A standby has run in the slot of another task, one after the other, and history must show it so. The worker says how
-- long ago one began and the other ended; both are told from the same exchange, and none before the last one.
create function berth.write_outcomes(
  p_session   bigint,
  p_worker    text,
  p_now       timestamptz,
  p_ids       uuid[],
  p_tokens    bigint[],
  p_outcomes  text[],
  p_texts     text[],
  p_delays    bigint[],
  p_before    timestamptz default null,
  p_began     bigint[] default null,
  p_passed    bigint[] default null,
  p_heirs     bigint[] default null,
  p_heirs_began bigint[] default null,
  p_standbys  integer[] default null,
  out stale bigint[], out back_queues text[], out back_priorities smallint[], out back_due_ats timestamptz[],
  out freed berth.freed[]  -- slots to be handed on or given back
) language plpgsql as $$
declare
  v_today   date := berth.keep_until(p_now, 0);
  v_unusual record;  -- the types that are not kept as usual
  v_written bigint[];
  v_back    bigint[];
  v_more    berth.freed[];
  v_counted uuid[];
  v_steps   berth.ended_step[];
  v_next    record;
begin
  select array_agg(y.name) as types, array_agg(y.finished_days) as finished_days, array_agg(y.failed_days) as failed_days
    into v_unusual from berth.task_type y where y.finished_days <> 7 or y.failed_days <> 30;

  -- The end: finished, failed, cancelled; also what would go back although somebody asked to cancel it.
  with ended as (
    delete from berth.task t
     using unnest(p_ids, p_tokens, p_outcomes, p_texts, p_began, p_passed, p_heirs, p_heirs_began, p_standbys)
             as o (id, token, outcome, text, began, passed, heir, heir_began, standbys)
     where t.id between o.id and o.id and t.token = o.token and t.session_id = p_session
       and (o.outcome in ('finished', 'failed', 'cancelled') or t.cancel_requested)
    returning t.id, t.submitted_at, t.due_at,
              case when t.standby then greatest(p_before, p_now - o.began * interval '1 microsecond') else t.started_at end
                as started_at,
              case when o.passed is null then p_now else greatest(p_before, p_now - o.passed * interval '1 microsecond') end
                as ended_at,
              o.token, o.heir, greatest(p_before, p_now - o.heir_began * interval '1 microsecond') as heir_began,
              o.standbys, t.attempt, t.failures, t.crashes, t.priority,
              t.type, t.queue, t.payload, t.metadata, t.lane, t.limits, t.weights, t.said_slots, t.held, t.held_since,
              t.position, t.quotas, t.quota_mosts, t.workflow, t.step, t.step_number, t.on_failure,
              case when t.cancel_requested and o.outcome <> 'finished' then t.last_error else o.text end as text,
              case when o.outcome in ('retry', 'released') then 'cancelled' else o.outcome end::berth.outcome as outcome
  ), kept as (
    insert into berth.task_history (
      task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
      crashes, priority, final, type, queue, worker, error, result, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step)
    select e.id, e.submitted_at, e.due_at, e.started_at, e.ended_at, p_session, e.token, v_today + k.days, e.outcome,
           e.attempt, e.failures + (e.outcome = 'failed')::integer, e.crashes, e.priority, true, e.type, e.queue,
           p_worker, case when e.outcome <> 'finished' then e.text end, case when e.outcome = 'finished' then e.text end,
           e.payload, e.metadata, e.lane, e.limits, e.weights,
           case when e.outcome <> 'finished' then e.said_slots end,  -- for a retry
           e.quotas, e.quota_mosts, e.workflow, e.step
      from ended e
     cross join lateral (select array_position(v_unusual.types, e.type)) y (place)
     cross join lateral (
       select case when e.outcome <> 'failed' then coalesce(v_unusual.finished_days[y.place], 7)
                   when e.workflow is null then coalesce(v_unusual.failed_days[y.place], 30)
                   else greatest(v_unusual.failed_days[y.place], 30) end  -- a person must be able to retry it
     ) k (days)
     where k.days > 0
  )
  select array_agg(token),
         array_agg((queue, priority, type, lane, limits, position, held_since, held, heir, heir_began, standbys)::berth.freed)
           filter (where held is not null or standbys > 0),
         array_agg(id) filter (where quotas is not null),
         array_agg((workflow, step, step_number, on_failure, id, type, outcome, text, true)::berth.ended_step)
           filter (where workflow is not null)
    into v_written, freed, v_counted, v_steps
    from ended;

  -- Back to the queue: retry spends the attempt and counts a failure, released gives the attempt back. A standby that is
  -- released never ran: it goes back to its place.
  if cardinality(v_written) is distinct from cardinality(p_ids) and p_outcomes && array['retry', 'released'] then
    with returned as (
      update berth.task t
         set state        = case when o.delay > 0 then 'waiting' else 'ready' end::berth.task_state,
             position     = case when t.standby and o.outcome = 'released' then t.position else p_now end,
             due_at       = p_now + o.delay * interval '1 millisecond',
             started_at   = case when t.standby then greatest(p_before, p_now - o.began * interval '1 microsecond')
                                 else t.started_at end,
             session_id   = null,
             token        = null,
             attempt      = t.attempt - (o.outcome = 'released')::integer,
             failures     = t.failures + (o.outcome = 'retry')::integer,
             last_error   = case when o.outcome = 'retry' then o.text else t.last_error end,
             progress     = null
        from unnest(p_ids, p_tokens, p_outcomes, p_texts, p_delays, p_began, p_passed, p_heirs, p_heirs_began, p_standbys)
               as o (id, token, outcome, text, delay, began, passed, heir, heir_began, standbys)
       where t.id between o.id and o.id and t.token = o.token and t.session_id = p_session and o.outcome in ('retry', 'released')
      returning t.id, t.submitted_at, t.due_at, t.started_at, o.token, t.attempt, t.failures, t.crashes, t.priority,
                case when o.passed is null then p_now else greatest(p_before, p_now - o.passed * interval '1 microsecond') end
                  as ended_at,
                t.standby and o.outcome = 'released' as unstarted, o.heir,
                greatest(p_before, p_now - o.heir_began * interval '1 microsecond') as heir_began, o.standbys,
                t.type, t.queue, t.lane, t.limits, t.weights, t.held, t.held_since, o.text, o.outcome::berth.outcome
    ), kept as (
      insert into berth.task_history (
        task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
        crashes, priority, final, type, queue, worker, error, lane, limits, weights)
      select r.id, r.submitted_at, r.due_at, r.started_at, r.ended_at, p_session, r.token, v_today + k.days, r.outcome,
             r.attempt + (r.outcome = 'released')::integer, r.failures, r.crashes, r.priority, false, r.type, r.queue, p_worker, r.text,
             r.lane, r.limits, r.weights
        from returned r
       cross join lateral (select coalesce(v_unusual.failed_days[array_position(v_unusual.types, r.type)], 30)) k (days)
       where k.days > 0 and not r.unstarted
    )
    select array_agg(token), array_agg(queue), array_agg(priority), array_agg(due_at),
           array_agg((queue, priority, type, lane, limits, '-infinity', held_since, held, heir, heir_began, standbys)::berth.freed)
             filter (where held is not null or standbys > 0)
      into v_back, back_queues, back_priorities, back_due_ats, v_more
      from returned;
    freed := freed || v_more;
  end if;
  if v_counted is not null then
    perform berth.leave_quotas(v_counted);
  end if;
  if v_steps is not null then
    v_next := berth.end_steps(v_steps, p_now);
    back_queues := back_queues || v_next.queues;
    back_priorities := back_priorities || v_next.priorities;
    back_due_ats := back_due_ats || v_next.due_ats;
  end if;

  if coalesce(cardinality(v_written), 0) + coalesce(cardinality(v_back), 0) < cardinality(p_ids) then
    select array_agg(token) into stale from unnest(p_tokens) as o (token)
     where token <> all (coalesce(v_written, '{}') || coalesce(v_back, '{}'));
  end if;
end $$;

-- The next lower priority of a queue that has ready tasks (from the top if p_after is null), where they begin, and
-- whether tasks of other types stand among the first p_peek. priority null: there is none.
create function berth.next_level(
  p_queue text, p_after smallint, p_types text[], p_peek integer,
  out priority smallint, out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
begin
  select t.priority, t.position into next_level.priority, next_level.floor
    from berth.task t
   where t.queue = p_queue and t.priority < coalesce(p_after, 10) and t.state = 'ready' and t.lane is null and t.priority >= 0
   order by t.priority desc, t.position, t.id
   limit 1;
  if found then
    select bool_or(w.type <> all (p_types)) into next_level.foreign_types
      from (select t.type
              from berth.task t
             where t.queue = p_queue and t.priority = next_level.priority and t.position >= next_level.floor
               and t.state = 'ready' and t.lane is null and t.priority >= 0
             order by t.position, t.id
             limit p_peek) w;
  end if;
end $$;

-- Locks up to p_size ready tasks of one line, in its order, and tells which, where they are, from where to go on, and
-- whether to hop next time. Plain takes a bounded number of rows, whatever they are: one of another type is let go,
-- unclaimed, and what is missing is taken by hop, but for what is locked already.
create function berth.lock_line(
  p_queue text, p_priority smallint, p_floor timestamptz, p_hop boolean, p_types text[], p_size integer,
  p_now timestamptz, p_locked uuid[], out ids uuid[], out ctids tid[], out floor timestamptz, out foreign_types boolean
) language plpgsql as $$
declare
  v_floor timestamptz := coalesce(p_floor, '-infinity');
  v_count integer;
  v_rest  record;
begin
  if p_hop then
    select array_agg(l.id), array_agg(l.ctid), max(l.position), count(*), true
      into ids, ctids, floor, v_count, foreign_types
      from (select t.id, t.ctid, t.position
              from (select h.ctid, h.position, h.id
                      from unnest(p_types) as y (type)
                     cross join lateral (
                       select ctid, position, id
                         from berth.task
                        where queue = p_queue and priority = p_priority and type = y.type and position >= v_floor
                          and id <> all (p_locked) and state = 'ready' and lane is null and priority <= 9
                        order by position, id
                        limit 2 * p_size + 32) h  -- room for rows that other claimers have locked
                     order by h.position, h.id) w
              join berth.task t on t.ctid = w.ctid
             where t.state::text = 'ready'  -- as text: the partial indexes are no way to a ctid
             order by w.position, w.id
             limit p_size
               for update of t skip locked) l;
  else
    select array_agg(l.id) filter (where l.ours), array_agg(l.ctid) filter (where l.ours), max(l.position), count(*),
           not coalesce(bool_and(l.ours), true)
      into ids, ctids, floor, v_count, foreign_types
      from (select id, ctid, position, type = any (p_types) as ours
              from berth.task
             where queue = p_queue and priority = p_priority and position >= v_floor
               and state = 'ready' and lane is null and priority >= 0
             order by position, id
             limit p_size
               for update skip locked) l;
    if foreign_types then
      select r.ids, r.ctids, r.floor into v_rest
        from berth.lock_line(p_queue, p_priority, v_floor, true, p_types, p_size - coalesce(cardinality(ids), 0), p_now,
                             coalesce(ids, '{}')) r;
      ids := ids || v_rest.ids;
      ctids := ctids || v_rest.ctids;
      floor := v_rest.floor;
      return;
    end if;
  end if;
  -- Fewer than asked for: the end was seen, whatever comes now is younger than this moment.
  if v_count < p_size then
    floor := p_now;
  end if;
  floor := least(floor, p_now - interval '100 milliseconds');
end $$;

-- How many more tasks to claim, of so many that may start besides those in the basket.
create function berth.still_wanted(p_size integer, p_basket berth.basket) returns integer language sql immutable as $$
  select least(p_size - cardinality(p_basket.ctids), p_basket.room)
$$;

-- Result rows, by kind:
--   claim   a task this session now runs: all columns, in no order; lane null: under no limit; foreign_types: it is a
--           standby
--   level   a line that was read: queue, priority, position (the floor for the next claim from it), foreign_types
--   stale   an outcome that was refused, the lease was taken away: token
--   back    a task that went back to the queue, or is next in its workflow: queue, priority, due_at, position (now)
--   lanes   a queue whose lanes were looked at: queue, payload (the cursor for the next claim from them; null: there are
--           none), due_at (when a paced limit may be asked again), position (now), foreign_types (whether to look again
--           next time, else when slots are freed), metadata (where the tasks of long lanes begin: line, microsecond, and so
--           on; null: few dead entries were in the way)
--   freed   slots were given back that others wait for: queue
--   cancel  a task this session runs and somebody asked to cancel: id, token
--   lost    the session is gone; nothing was done
create function berth.exchange(
  p_session    bigint,
  p_number     bigint,         -- counts up by one; the same again to repeat after a lost reply
  p_ids        uuid[],         -- outcomes, one entry each: the task,
  p_tokens     bigint[],       --   its lease,
  p_outcomes   text[],         --   finished, failed, cancelled, retry, released,
  p_texts      text[],         --   the result of a finished one, the error of any other,
  p_delays     bigint[],       --   milliseconds until a retry or release is due again, 0 or null: at once
  p_queues     text[],         -- lines to claim from, in this order: the queue,
  p_priorities smallint[],     --   its priority, null in mode scan,
  p_floors     timestamptz[],  --   the floor, null: from the start,
  p_modes      text[],         --   scan, plain, hop; or, before those of its queue: lanes, or freed (lanes, but only
                               --   if this exchange gives slots back that it has a use for),
  p_cursors    text[],         --   for lanes and freed the lane after which to begin, and its level; null: at the first
  p_types      text[],         -- what this worker handles
  p_size       integer,        -- how many tasks to claim at most
                               -- more of the outcomes, each null if none of them has it:
  p_began      bigint[] default null,  -- of a standby: how many microseconds ago it began,
  p_passed     bigint[] default null,  --   how many microseconds ago one ended whose slots passed to a standby,
  p_heirs      bigint[] default null,  --   the lease of the standby that has them now,
  p_heirs_began bigint[] default null, --   how many microseconds ago that one began,
  p_standbys   integer[] default null, --   and how many more standbys of its lane to claim
  p_ahead      integer[] default null, -- how many standbys to claim with each slot taken for these types; null: none,
  p_most       integer default null,   --   and how many tasks with all standbys; null: p_size
  p_apart      boolean default false,  -- whether this is the half that hands in, where another one claims
  p_lines      text[] default null,    -- where this session has claimed much under limits, as line_of says it,
  p_floors_at  bigint[] default null,  --   and how far it has come there, in microseconds since 1970,
  p_running    bigint[] default null   -- its leases under limits, but for those younger than the last one; null: unknown
) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
) language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = off set enable_material = off
as $$
#variable_conflict use_column
declare
  v_shift    interval;
  v_now      timestamptz;
  v_paused   text[];
  v_expires  timestamptz;
  v_repeat   boolean;
  v_begun    record;
  v_verdict  text;
  v_written  record;
  v_freed    berth.freed[];
  v_line     record;
  v_ctids    tid[] := '{}';
  v_basket   berth.basket;  -- claims under limits
  v_passed   record;
  v_gave     boolean := false;  -- whether slots were given back that this session has a use for,
  v_left     text[] := '{}';    --   which limits are left to others,
  v_waiting  text[];            --   and the queues that they read
  v_lanes    boolean := false;  -- whether limited work of this queue is looked at,
  v_below    smallint;          --   and below which level it was not yet
  v_start    timestamptz;
  v_handed   integer := 0;      -- how many start in slots that were handed on,
  v_ready    integer := 0;      --   and how many stand by there
  v_need     integer := p_size;
  v_floors   berth.lane_floor[] := '{}';
begin
  select c.shift, array(select q.name from berth.queue q where q.paused),
         (select s.expires_at from berth.session s where s.id between p_session and p_session order by s.id desc limit 1),
         exists (select from berth.exchange_log l
                  where l.session_id = p_session and l.apart = p_apart and l.number = p_number)
    into v_shift, v_paused, v_expires, v_repeat
    from berth.clock c;
  v_now := clock_timestamp() + v_shift;
  -- Nothing to hand in: look, but write nothing before there is something to claim.
  if cardinality(p_ids) > 0 then
    v_begun := berth.begin_exchange(p_session, p_apart, p_number, v_now);
    v_verdict := v_begun.verdict;
  else
    v_verdict := case when coalesce(v_expires <= v_now, true) then 'lost' when v_repeat then 'repeat' else 'go' end;
  end if;
  if v_verdict is distinct from 'go' then
    return query select * from berth.answer_again(p_session, p_apart, p_number, v_verdict);
    return;
  end if;

  if cardinality(p_ids) > 0 then
    v_written := berth.write_outcomes(
      p_session, v_begun.worker, v_now, p_ids, p_tokens, p_outcomes, p_texts, p_delays,
      v_begun.before, p_began, p_passed, p_heirs, p_heirs_began, p_standbys);
    if v_written.stale is not null then
      update berth.exchange_log l set stale = v_written.stale
       where l.session_id = p_session and l.apart = p_apart and l.number = p_number;
      kind := 'stale';
      foreach token in array v_written.stale loop
        return next;
      end loop;
      token := null;
    end if;
    kind := 'back';
    position := v_now;
    for i in 1 .. coalesce(cardinality(v_written.back_queues), 0) loop
      queue := v_written.back_queues[i];
      priority := v_written.back_priorities[i];
      due_at := v_written.back_due_ats[i];
      return next;
    end loop;
    due_at := null;
    v_freed := v_written.freed;
  end if;

  v_basket := ('{}', '{}', '{}', '{}', null, false, null, p_ahead, coalesce(p_most, p_size), null);
  if p_lines is not null then
    v_floors := array(
      select (l.part[1], l.part[2], l.part[3], l.part[4],
              least(timestamptz 'epoch' + l.micros * interval '1 microsecond', v_now - interval '100 milliseconds')
             )::berth.lane_floor
        from (select string_to_array(l.line, E'\n') as part, l.micros from unnest(p_lines, p_floors_at) as l (line, micros)) l);
  end if;
  if v_freed is not null then
    v_passed := berth.hand_on(
      p_session, v_freed,
      case when p_heirs is null then '{}'
           else berth.pass_on(p_session, v_freed) end,
      case when v_paused = '{}' then p_queues else array(select unnest(p_queues) except select unnest(v_paused)) end,
      p_size, v_now, v_begun.before, v_floors, p_running,
      array(select l.queue from unnest(p_queues, p_modes) as l (queue, mode) where l.mode = 'scan'));
    -- Claimed at once: what looks at lanes afterwards does not meet them again.
    v_start := clock_timestamp() + v_shift;
    if v_passed.ctids <> '{}' then
      return query
        update berth.task t
           set state = 'running', session_id = p_session, token = nextval('berth.token'), started_at = v_start,
               attempt = t.attempt + 1, held = c.held, held_since = c.since, standby = false
          from unnest(v_passed.ctids, v_passed.held) as c (ctid, held, since)
         where t.ctid = c.ctid
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                  t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), t.position, t.standby, t.lane::text;
    end if;
    if v_passed.standbys <> '{}' then
      return query
        update berth.task t
           set state = 'running', session_id = p_session, token = nextval('berth.token'), started_at = v_start,
               attempt = t.attempt + 1, held = null, held_since = null, standby = true
         where t.ctid = any (v_passed.standbys)
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                  t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), t.position, t.standby, t.lane::text;
    end if;
    v_handed := cardinality(v_passed.ctids);
    v_ready := cardinality(v_passed.standbys);
    v_basket.room := greatest(0, v_basket.room - v_handed - v_ready);
    v_need := least(p_size - v_handed, v_basket.room);
    if v_passed.rest is not null then
      perform berth.give_back(v_passed.rest);
      select l.keys, l.queues, l.ours into v_left, v_waiting, v_gave
        from berth.leave_to_others(
               p_session, v_passed.rest, v_passed.over, v_need = 0 or 'freed' = any (p_modes), v_now, v_floors) l;
      if v_need = 0 and v_gave then  -- no look of our own at what became free
        v_waiting := array(select unnest(v_waiting) union select f.queue from unnest(v_freed) as f);
      end if;
      kind := 'freed';
      foreach queue in array v_waiting loop
        return next;
      end loop;
    end if;
  end if;

  kind := 'level';
  for i in 1 .. cardinality(p_queues) loop
    exit when v_need = 0;
    continue when p_queues[i] = any (v_paused);
    queue := p_queues[i];
    if p_modes[i] in ('lanes', 'freed') then
      -- Not for a small rest: a look costs as much for one task as for fifty. And where standbys were handed on that are
      -- enough to do for now, other lanes have their turn with one exchange in four.
      v_lanes := case when p_modes[i] = 'freed' then v_gave
                      else v_basket.room >= v_ready or p_number % 4 = 0 or p_modes[i + 1] = 'scan' end
                 and 4 * v_need > v_handed + cardinality(v_basket.ctids);
      v_basket.cursor := p_cursors[i];
      v_basket.more := false;
      v_basket.again := null;
      v_basket.seen := null;
      v_below := 10;
    else
      priority := p_priorities[i];
      position := p_floors[i];
      foreign_types := p_modes[i] = 'hop';
      loop
        if p_modes[i] = 'scan' then
          select l.priority, l.floor, l.foreign_types into priority, position, foreign_types
            from berth.next_level(queue, priority, p_types, 2 * p_size + 32) l;
          exit when priority is null;
        end if;
        if v_lanes then
          -- Limited work of the levels above, then its half of this one.
          v_basket := berth.claim_levels(
            v_basket, p_session, queue, v_below - 1, priority + 1, p_types, v_need, v_left, v_now, v_floors, p_running);
          v_need := berth.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
          v_basket := berth.claim_levels(
            v_basket, p_session, queue, priority, priority, p_types, (v_need + p_number::integer % 2) / 2, v_left, v_now,
            v_floors, p_running);
          v_need := berth.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
          exit when v_need = 0;
        end if;
        v_line := berth.lock_line(queue, priority, position, foreign_types, p_types, v_need, v_now, '{}');
        v_ctids := v_ctids || v_line.ctids;
        v_basket.room := v_basket.room - coalesce(cardinality(v_line.ctids), 0);
        v_need := berth.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
        v_below := priority + 1;  -- what open work left over of this level
        position := v_line.floor;
        foreign_types := v_line.foreign_types;
        return next;
        exit when v_need = 0 or p_modes[i] <> 'scan';
      end loop;
    end if;
    if v_lanes and p_queues[i + 1] is distinct from queue then
      v_basket := berth.claim_levels(v_basket, p_session, queue, v_below - 1, 0, p_types, v_need, v_left, v_now, v_floors, p_running);
      v_need := berth.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
      kind := 'lanes';
      payload := v_basket.cursor;
      due_at := v_basket.again;
      position := v_now;
      foreign_types := v_basket.more;
      metadata := v_basket.seen;
      return next;
      metadata := null;
      kind := 'level';
      payload := null;
      due_at := null;
      v_lanes := false;
    end if;
  end loop;

  if cardinality(v_ctids) + cardinality(v_basket.ctids) > 0 then
    if v_begun is null then
      v_begun := berth.begin_exchange(p_session, p_apart, p_number, v_now);
      if v_begun.verdict <> 'go' then
        -- It expired since we looked, or the first try of this number commits just now. Slots are taken already: nothing
        -- of this may stay, and the next try finds out.
        raise exception 'exchange % of session % is under way elsewhere, or the session has just ended', p_number, p_session
          using errcode = 'serialization_failure';
      end if;
    end if;
    v_now := clock_timestamp() + v_shift;
    v_ctids := v_ctids || v_basket.standbys;
    if v_ctids <> '{}' then  -- what holds no slots: open work, and standbys
      return query
        update berth.task t
           set state = 'running', session_id = p_session, token = nextval('berth.token'), started_at = v_now,
               attempt = t.attempt + 1, held = null, held_since = null, standby = t.lane is not null
         where t.ctid = any (v_ctids)
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                  t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), t.position, t.standby, t.lane::text;
    end if;
    if v_basket.ctids <> '{}' then
      return query
        update berth.task t
           set state = 'running', session_id = p_session, token = nextval('berth.token'), started_at = v_now,
               attempt = t.attempt + 1, held = c.held, held_since = coalesce(c.since, v_now), standby = false
          from unnest(v_basket.ctids, v_basket.held) as c (ctid, held, since)
         where t.ctid = c.ctid
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
                  t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), t.position, t.standby, t.lane::text;
      if v_basket.paced <> '{}' then
        update berth.task_limit l set next_start_at = v_now + l.pace where l.key = any (v_basket.paced);
      end if;
    end if;
  end if;

  if exists (select from berth.task t where t.session_id = p_session and t.cancel_requested) then
    return query select * from berth.cancel_requests(p_session);
  end if;
end $$;

-- What this session runs and somebody asked to cancel, as rows of an exchange.
create function berth.cancel_requests(p_session bigint) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
    select 'cancel', t.id, t.token, null::text, null::text, null::smallint, null::integer, null::integer, null::integer,
           null::timestamptz, null::timestamptz, null::text, null::text[], null::timestamptz, null::boolean, null::text
      from berth.task t where t.session_id = p_session and t.cancel_requested;
end $$;

-- The answer to an exchange that is already in the log, or whose session is gone (p_verdict null or 'lost').
create function berth.answer_again(p_session bigint, p_apart boolean, p_number bigint, p_verdict text) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
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
  select * into v_log from berth.exchange_log l
   where l.session_id = p_session and l.apart = p_apart and l.number = p_number;
  return query
    select 'claim', t.id, t.token, t.type, t.queue, t.priority, t.attempt, t.failures, t.crashes,
           t.submitted_at, t.due_at, t.payload, berth.pairs(t.metadata), t.position, t.standby, t.lane::text
      from berth.task t
     where not p_apart and t.session_id = p_session and t.token > v_log.first_token and t.state = 'running'
     order by t.token;
  kind := 'stale';
  foreach token in array coalesce(v_log.stale, '{}') loop
    return next;
  end loop;
  return query select * from berth.cancel_requests(p_session);
end $$;
