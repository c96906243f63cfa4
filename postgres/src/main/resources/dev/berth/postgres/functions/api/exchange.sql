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
--
-- LOCKS of somebody else on one task must not hold up the outcomes of all others. To look for them with each exchange would
-- cost all of them. So an exchange gives up after half a second of waiting for a lock, and comes again as a careful one:
-- that locks the tasks and workflows that are free, puts the other outcomes aside, and waits up to four seconds for whatever
-- else it needs. All are careful while any outcome is aside. The worker waits for the answer longer than that: it would try
-- again on another connection, and this one would wait on. So of each worker one exchange waits at a time.

-- Result rows, by kind:
--   claim   a task this session now runs: all columns, in no order; lane null: under no limit; foreign_types: it is a
--           standby
--   level   a line that was read: queue, priority, position (the floor for the next claim from it), foreign_types
--   stale   an outcome that was refused, the lease was taken away: token
--   aside   an outcome that was not written since somebody else has locked its task or workflow, to be handed in again: token
--   back    a task that went back to the queue, or is next in its workflow: queue, priority, due_at, position (now)
--   lanes   a queue whose lanes were looked at: queue, payload (the cursor for the next claim from them; null: there are
--           none), due_at (when a paced limit may be asked again), position (now), foreign_types (whether to look again
--           next time, else when slots are freed), metadata (where the tasks of long lanes begin: line, microsecond, and so
--           on; null: few dead entries were in the way)
--   freed   slots were given back that others wait for: queue
--   cancel  a task this session runs and somebody asked to cancel: id, token
--   lost    the session is gone; nothing was done
create function berth.exchange(
  p_schema     integer,        -- the version of the schema that the caller was built for
  p_session    bigint,
  p_proof      uuid,           -- what open_session gave with the session
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
  p_running    bigint[] default null,  -- its leases under limits, but for those younger than the last one; null: unknown
  p_careful    boolean default false,  -- somebody has locked what the last try waited for: outcomes are put aside
  p_bytes      bigint default null     -- no further task once those before it have so many bytes; null: any number; in a
                                       --   repeat 0: the claims come without their payload
) returns table (
  kind text, id uuid, token bigint, type text, queue text, priority smallint, attempt integer, failures integer,
  crashes integer, submitted_at timestamptz, due_at timestamptz, payload text, metadata text[],
  "position" timestamptz, foreign_types boolean, lane text
) language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = off set enable_material = off
  set lock_timeout = '500ms' security definer set search_path = pg_catalog, pg_temp as $$
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
  v_freed    berth_private.freed[];
  v_line     record;
  v_ctids    tid[] := '{}';
  v_basket   berth_private.basket;  -- claims under limits
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
  v_floors   berth_private.lane_floor[] := '{}';
  v_bytes    bigint := coalesce(p_bytes, 9223372036854775807);
  v_fitting  record;
begin
  if p_schema is distinct from berth_private.schema_number() then
    perform berth_private.check_schema(p_schema);
  end if;
  if (p_modes <@ array['scan', 'plain', 'hop', 'lanes', 'freed'] and cardinality(p_modes) = cardinality(p_queues)
      and p_outcomes <@ array['finished', 'failed', 'cancelled', 'retry', 'released']
      and cardinality(p_outcomes) = cardinality(p_ids) and p_size >= 0) is not true then
    raise exception 'An exchange needs a mode for each queue (scan, plain, hop, lanes or freed), an outcome for each task '
                    '(finished, failed, cancelled, retry or released) and a size of 0 or more, but has modes %, outcomes % and '
                    'size %', p_modes, p_outcomes, p_size using errcode = 'invalid_parameter_value';
  end if;
  select c.shift, array(select q.name from berth_private.queue q where q.paused),
         (select s.expires_at from berth_private.session s where s.id between p_session and p_session
            and s.proof = p_proof order by s.id desc limit 1),
         exists (select from berth_private.exchange_log l
                  where l.session_id = p_session and l.apart = p_apart and l.number = p_number)
    into v_shift, v_paused, v_expires, v_repeat
    from berth_private.clock c;
  v_now := clock_timestamp() + v_shift;
  -- Nothing to hand in: look, but write nothing before there is something to claim.
  if cardinality(p_ids) > 0 then
    v_begun := berth_private.begin_exchange(p_session, p_proof, p_apart, p_number, v_now);
    v_verdict := v_begun.verdict;
  else
    v_verdict := case when coalesce(v_expires <= v_now, true) then 'lost' when v_repeat then 'repeat' else 'go' end;
  end if;
  if v_verdict is distinct from 'go' then
    return query select * from berth_private.answer_again(p_session, p_apart, p_number, v_verdict, v_bytes = 0);
    return;
  end if;

  if cardinality(p_ids) > 0 then
    if p_careful then
      perform set_config('lock_timeout', '4s', true);
    end if;
    v_written := berth_private.write_outcomes(
      p_session, v_begun.worker, v_now, p_ids, p_tokens, p_outcomes, p_texts, p_delays,
      v_begun.before, p_began, p_passed, p_heirs, p_heirs_began, p_standbys, p_careful);
    if v_written.stale is not null or v_written.aside is not null then
      update berth_private.exchange_log l set stale = v_written.stale, aside = v_written.aside
       where l.session_id = p_session and l.apart = p_apart and l.number = p_number;
      kind := 'stale';
      foreach token in array coalesce(v_written.stale, '{}') loop
        return next;
      end loop;
      kind := 'aside';
      foreach token in array coalesce(v_written.aside, '{}') loop
        return next;
        p_size := greatest(0, p_size - 1);  -- it keeps its place in the worker
      end loop;
      v_need := p_size;
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
             )::berth_private.lane_floor
        from (select string_to_array(l.line, E'\n') as part, l.micros from unnest(p_lines, p_floors_at) as l (line, micros)) l);
  end if;
  if v_freed is not null then
    v_passed := berth_private.hand_on(
      p_session, v_freed,
      case when p_heirs is null then '{}'
           else berth_private.pass_on(p_session, v_freed) end,
      case when v_paused = '{}' then p_queues else array(select unnest(p_queues) except select unnest(v_paused)) end,
      p_size, v_now, v_begun.before, v_floors, p_running,
      array(select l.queue from unnest(p_queues, p_modes) as l (queue, mode) where l.mode = 'scan'));
    if p_bytes is not null and v_passed.ctids || v_passed.standbys <> '{}' then
      v_fitting := berth_private.fitting(v_passed.ctids || v_passed.standbys, v_bytes);
      v_bytes := v_bytes - v_fitting.bytes;
      if v_fitting.tasks < cardinality(v_passed.ctids) + cardinality(v_passed.standbys) then
        v_passed.standbys := v_passed.standbys[: v_fitting.tasks - cardinality(v_passed.ctids)];
        v_passed.rest := nullif(v_passed.rest || array(
          select unnest(h.held) from unnest(v_passed.held[v_fitting.tasks + 1 :]) as h), '{}');
        v_passed.held := v_passed.held[: v_fitting.tasks];
        v_passed.ctids := v_passed.ctids[: v_fitting.tasks];
      end if;
    end if;
    -- Claimed at once: what looks at lanes afterwards does not meet them again.
    v_start := clock_timestamp() + v_shift;
    if v_passed.ctids <> '{}' then
      return query
        update berth_private.task t
           set state = 'running', session_id = p_session, token = nextval('berth_private.token'), started_at = v_start,
               attempt = least(t.attempt, 2147483646) + 1, held = c.held, held_since = c.since, standby = false
          from unnest(v_passed.ctids, v_passed.held) as c (ctid, held, since)
         where t.ctid = c.ctid
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority::smallint, t.attempt, t.failures,
                  t.crashes, t.submitted_at::timestamptz, t.due_at::timestamptz, t.payload, berth_private.pairs(t.metadata),
                  t.position::timestamptz, t.standby, t.lane::text;
    end if;
    if v_passed.standbys <> '{}' then
      return query
        update berth_private.task t
           set state = 'running', session_id = p_session, token = nextval('berth_private.token'), started_at = v_start,
               attempt = least(t.attempt, 2147483646) + 1, held = null, held_since = null, standby = true
         where t.ctid = any (v_passed.standbys)
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority::smallint, t.attempt, t.failures,
                  t.crashes, t.submitted_at::timestamptz, t.due_at::timestamptz, t.payload, berth_private.pairs(t.metadata),
                  t.position::timestamptz, t.standby, t.lane::text;
    end if;
    v_handed := cardinality(v_passed.ctids);
    v_ready := cardinality(v_passed.standbys);
    v_basket.room := greatest(0, v_basket.room - v_handed - v_ready);
    v_need := case when v_bytes > 0 then least(p_size - v_handed, v_basket.room) else 0 end;
    if v_passed.rest is not null then
      perform berth_private.give_back(v_passed.rest);
      select l.keys, l.queues, l.ours into v_left, v_waiting, v_gave
        from berth_private.leave_to_others(
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
    exit when v_need = 0 or v_bytes <= 0;
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
            from berth_private.next_level(queue, priority, p_types, 2 * p_size + 32) l;
          exit when priority is null;
        end if;
        if v_lanes then
          -- Limited work of the levels above, then its half of this one.
          v_basket := berth_private.claim_levels(
            v_basket, p_session, queue, v_below - 1, priority + 1, p_types, v_need, v_left, v_now, v_floors, p_running);
          v_need := berth_private.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
          v_basket := berth_private.claim_levels(
            v_basket, p_session, queue, priority, priority, p_types, (v_need + p_number::integer % 2) / 2, v_left, v_now,
            v_floors, p_running);
          v_need := berth_private.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
          exit when v_need = 0;
        end if;
        v_line := berth_private.lock_line(queue, priority, position, foreign_types, p_types, v_need, v_bytes, v_now, '{}');
        v_ctids := v_ctids || v_line.ctids;
        v_bytes := v_bytes - v_line.bytes;
        v_basket.room := v_basket.room - coalesce(cardinality(v_line.ctids), 0);
        v_need := berth_private.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
        v_below := priority + 1;  -- what open work left over of this level
        position := v_line.floor;
        foreign_types := v_line.foreign_types;
        return next;
        exit when v_need = 0 or v_bytes <= 0 or p_modes[i] is distinct from 'scan';
      end loop;
    end if;
    if v_lanes and p_queues[i + 1] is distinct from queue then
      v_basket := berth_private.claim_levels(
        v_basket, p_session, queue, v_below - 1, 0, p_types, case when v_bytes > 0 then v_need else 0 end, v_left, v_now,
        v_floors, p_running);
      v_need := berth_private.still_wanted(p_size - v_handed - cardinality(v_ctids), v_basket);
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

  if p_bytes is not null and v_basket.ctids <> '{}' then
    v_fitting := berth_private.fitting(v_basket.ctids || v_basket.standbys, v_bytes);
    if v_fitting.tasks < cardinality(v_basket.ctids) + cardinality(v_basket.standbys) then
      perform berth_private.give_back(array(
        select unnest(h.held) from unnest(v_basket.held[v_fitting.tasks + 1 :]) as h));
      v_basket.standbys := v_basket.standbys[: v_fitting.tasks - cardinality(v_basket.ctids)];
      v_basket.held := v_basket.held[: v_fitting.tasks];
      v_basket.ctids := v_basket.ctids[: v_fitting.tasks];
    end if;
  end if;
  if cardinality(v_ctids) + cardinality(v_basket.ctids) > 0 then
    if v_begun is null then
      v_begun := berth_private.begin_exchange(p_session, p_proof, p_apart, p_number, v_now);
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
        update berth_private.task t
           set state = 'running', session_id = p_session, token = nextval('berth_private.token'), started_at = v_now,
               attempt = least(t.attempt, 2147483646) + 1, held = null, held_since = null, standby = t.lane is not null
         where t.ctid = any (v_ctids)
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority::smallint, t.attempt, t.failures,
                  t.crashes, t.submitted_at::timestamptz, t.due_at::timestamptz, t.payload, berth_private.pairs(t.metadata),
                  t.position::timestamptz, t.standby, t.lane::text;
    end if;
    if v_basket.ctids <> '{}' then
      return query
        update berth_private.task t
           set state = 'running', session_id = p_session, token = nextval('berth_private.token'), started_at = v_now,
               attempt = least(t.attempt, 2147483646) + 1, held = c.held, held_since = coalesce(c.since, v_now), standby = false
          from unnest(v_basket.ctids, v_basket.held) as c (ctid, held, since)
         where t.ctid = c.ctid
        returning 'claim', t.id, t.token, t.type, t.queue, t.priority::smallint, t.attempt, t.failures,
                  t.crashes, t.submitted_at::timestamptz, t.due_at::timestamptz, t.payload, berth_private.pairs(t.metadata),
                  t.position::timestamptz, t.standby, t.lane::text;
      if v_basket.paced <> '{}' then
        update berth_private.task_limit l set next_start_at = v_now + l.pace where l.key = any (v_basket.paced);
      end if;
    end if;
  end if;

  if exists (select from berth_private.task t where t.session_id = p_session and t.cancel_requested) then
    return query select * from berth_private.cancel_requests(p_session);
  end if;
end $$;
