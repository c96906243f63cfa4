-- Locks the rows of these outcomes, and those of their workflows, which may go on. Returns the tokens of the outcomes for
-- which somebody else has one of them locked; null if none.
create function berth_private.lock_outcomes(p_session bigint, p_ids uuid[], p_tokens bigint[]) returns bigint[]
language plpgsql as $$
declare
  v_locked uuid[] := array(
    select t.id from unnest(p_ids) as o (id) join berth_private.task t on t.id between o.id and o.id
       for update of t skip locked);
  v_steps  text[] := array(select t.workflow from berth_private.task t where t.id = any (v_locked) and t.workflow is not null);
  v_others text[];
begin
  if v_steps <> '{}' then
    v_others := array(
      select w.name from berth_private.workflow w where w.name = any (v_steps)
      except all
      select l.name from (select w.name from berth_private.workflow w where w.name = any (v_steps)
                           order by w.name collate "C" for update skip locked) l);
    v_locked := array(
      select t.id from berth_private.task t
       where t.id = any (v_locked) and (t.workflow is null or t.workflow <> all (v_others)));
  end if;
  return (
    select array_agg(o.token) from unnest(p_ids, p_tokens) as o (id, token)
      join berth_private.task t on t.id between o.id and o.id and t.token = o.token and t.session_id = p_session
     where o.id <> all (v_locked));
end $$;

-- Writes outcomes. Returns the tokens of those that were stale, and where tasks went back to, or came to since those
-- before them in their workflows have ended; null if none.
--
-- A standby has run in the slot of another task, one after the other, and history must show it so. The worker says how
-- long ago one began and the other ended; both are told from the same exchange, and none before the last one.
-- p_careful: those whose rows somebody else has locked are put aside, for a later exchange.
create function berth_private.write_outcomes(
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
  p_careful   boolean default false,
  out stale bigint[], out back_queues text[], out back_priorities smallint[], out back_due_ats timestamptz[],
  out freed berth_private.freed[], -- slots to be handed on or given back
  out aside bigint[]               -- tokens of those that were put aside; null if none
) language plpgsql as $$
declare
  v_today   date := berth_private.keep_until(p_now, 0);
  v_unusual record;  -- the types that are not kept as usual
  v_written bigint[];
  v_back    bigint[];
  v_more    berth_private.freed[];
  v_counted uuid[];
  v_steps   berth_private.ended_step[];
  v_next    record;
begin
  if p_careful then
    aside := berth_private.lock_outcomes(p_session, p_ids, p_tokens);
    if aside is not null then
      p_ids := array(select case when o.token <> all (aside) then o.id end
                       from unnest(p_ids, p_tokens) with ordinality as o (id, token, number) order by o.number);
    end if;
    p_before := '-infinity';  -- what was put aside may have ended before the last exchange
  end if;
  if pg_column_size(p_texts) > berth_private.always_fits() then
    perform berth_private.check_size('result', t.type, octet_length(o.text))
      from unnest(p_ids, p_outcomes, p_texts) as o (id, outcome, text)
      join berth_private.task t on t.id between o.id and o.id
     where o.outcome = 'finished' and octet_length(o.text) > berth_private.always_fits();
    if exists (select from unnest(p_outcomes, p_texts) as o (outcome, text)
                where o.outcome <> 'finished' and octet_length(o.text) > 16000) then
      p_texts := array(select case when o.outcome = 'finished' then o.text else left(o.text, 16000) end
                         from unnest(p_outcomes, p_texts) with ordinality as o (outcome, text, number) order by o.number);
    end if;
  end if;
  select array_agg(y.name) as types, array_agg(y.finished_days) as finished_days, array_agg(y.failed_days) as failed_days
    into v_unusual from berth_private.task_type y where y.finished_days <> 7 or y.failed_days <> 30;

  -- The end: finished, failed, cancelled; also what would go back although somebody asked to cancel it.
  with ended as (
    delete from berth_private.task t
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
              t.position, t.quotas, t.quota_mosts, t.workflow, t.step, t.step_number, t.on_failure, t.name,
              case when t.cancel_requested and o.outcome <> 'finished' then t.last_error else o.text end as text,
              case when o.outcome in ('retry', 'released') then 'cancelled' else o.outcome end::berth_private.outcome as outcome
  ), kept as (
    insert into berth_private.task_history (
      task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
      crashes, priority, final, type, queue, worker, error, result, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step, name)
    select e.id, e.submitted_at, e.due_at, e.started_at, e.ended_at, p_session, e.token, v_today + k.days, e.outcome,
           e.attempt, least(e.failures, 2147483646) + (e.outcome = 'failed')::integer, e.crashes, e.priority, true, e.type,
           e.queue, p_worker, case when e.outcome <> 'finished' then e.text end, case when e.outcome = 'finished' then e.text end,
           e.payload, e.metadata, e.lane, e.limits, e.weights,
           case when e.outcome <> 'finished' then e.said_slots end,  -- for a retry
           e.quotas, e.quota_mosts, e.workflow, e.step, e.name
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
         array_agg((queue, priority, type, lane, limits, position, held_since, held, heir, heir_began,
           standbys)::berth_private.freed)
           filter (where held is not null or standbys > 0),
         array_agg(id) filter (where quotas is not null),
         array_agg((workflow, step, step_number, on_failure, id, type, outcome, text, true)::berth_private.ended_step)
           filter (where workflow is not null)
    into v_written, freed, v_counted, v_steps
    from ended;

  -- Back to the queue: retry spends the attempt and counts a failure, released gives the attempt back. A standby that is
  -- released never ran: it goes back to its place.
  if cardinality(v_written) is distinct from cardinality(p_ids) and p_outcomes && array['retry', 'released'] then
    with returned as (
      update berth_private.task t
         set state        = case when o.delay > 0 then 'waiting' else 'ready' end::berth_private.task_state,
             position     = case when t.standby and o.outcome = 'released' then t.position else p_now end,
             due_at       = p_now + least(greatest(o.delay, 0), 31536000000000) * interval '1 millisecond',  -- 365000 days
             started_at   = case when t.standby then greatest(p_before, p_now - o.began * interval '1 microsecond')
                                 else t.started_at end,
             session_id   = null,
             token        = null,
             attempt      = t.attempt - (o.outcome = 'released')::integer,
             failures     = least(t.failures, 2147483646) + (o.outcome = 'retry')::integer,
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
                t.type, t.queue, t.lane, t.limits, t.weights, t.held, t.held_since, o.text, o.outcome::berth_private.outcome
    ), kept as (
      insert into berth_private.task_history (
        task_id, submitted_at, due_at, started_at, ended_at, session_id, token, keep_until, outcome, attempt, failures,
        crashes, priority, final, type, queue, worker, error, lane, limits, weights)
      select r.id, r.submitted_at, r.due_at, r.started_at, r.ended_at, p_session, r.token, v_today + k.days, r.outcome,
             r.attempt + (r.outcome = 'released')::integer, r.failures, r.crashes, r.priority, false, r.type, r.queue, p_worker,
               r.text,
             r.lane, r.limits, r.weights
        from returned r
       cross join lateral (select coalesce(v_unusual.failed_days[array_position(v_unusual.types, r.type)], 30)) k (days)
       where k.days > 0 and not r.unstarted
    )
    select array_agg(token), array_agg(queue), array_agg(priority), array_agg(due_at),
           array_agg((queue, priority, type, lane, limits, '-infinity', held_since, held, heir, heir_began,
             standbys)::berth_private.freed)
             filter (where held is not null or standbys > 0)
      into v_back, back_queues, back_priorities, back_due_ats, v_more
      from returned;
    freed := freed || v_more;
  end if;
  if v_counted is not null then
    perform berth_private.leave_quotas(v_counted);
  end if;
  if v_steps is not null then
    v_next := berth_private.end_steps(v_steps, p_now);
    back_queues := back_queues || v_next.queues;
    back_priorities := back_priorities || v_next.priorities;
    back_due_ats := back_due_ats || v_next.due_ats;
  end if;

  if coalesce(cardinality(v_written), 0) + coalesce(cardinality(v_back), 0) < cardinality(p_ids) then
    select array_agg(token) into stale from unnest(p_tokens) as o (token)
     where token <> all (coalesce(v_written, '{}') || coalesce(v_back, '{}') || coalesce(aside, '{}'));
  end if;
end $$;
