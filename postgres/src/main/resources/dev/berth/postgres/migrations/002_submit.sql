-- Submit: tasks become durable. Nothing here locks a row that anybody else needs, but for the counts of quotas.

-- Wake-ups on channel `berth`. They are hints; a lost one costs a poll.
--   ready <microseconds> <priority> <queue>   work is claimable, none of it placed before this position;
--                                             priority -1: any, -2: work under limits
--   due <microseconds> <queue>                work will be due after so long
--   step <microseconds> <queue>               steps were submitted at this time, which a sweep has to find
--   cancel <session>                          a task of this session shall stop
create function berth.microseconds(p_time timestamptz) returns bigint language sql immutable as $$
  select (extract(epoch from p_time) * 1000000)::bigint
$$;

create function berth.wake_ready(p_queue text, p_priority integer, p_position timestamptz) returns void language sql as $$
  select pg_notify('berth', 'ready ' || berth.microseconds(p_position) || ' ' || p_priority || ' ' || p_queue)
$$;

-- Only what is due within a minute: sweeps look far more often by themselves. In whole seconds, so that a transaction
-- that submits a hundred thousand tasks sends sixty wake-ups per queue at most.
create function berth.wake_due(p_queue text, p_due_at timestamptz) returns void language sql as $$
  select pg_notify('berth', 'due ' || floor(extract(epoch from w.wait))::bigint * 1000000 || ' ' || p_queue)
    from (select p_due_at - berth.now() as wait) w
   where w.wait < interval '1 minute'
$$;

-- The Java client's submit; the caller wakes workers after its commit. Returns the ids that existed already and were
-- left alone, null if none, and a position before all that was submitted. With p_repeat (own ids, or a second try
-- after a lost reply) a task that has ended meanwhile counts as existing too.
-- Tasks that a full quota kept out are told apart: the task, the quota, and what was found there. Where p_when_full is
-- null no quota is asked: what has some is counted, and what p_chosen does not want is left out.
create function berth.submit_batch(
  p_ids        uuid[],
  p_types      text[],
  p_queues     text[],
  p_priorities smallint[],
  p_due_ats    timestamptz[],  -- null: after the delay
  p_delays     bigint[],       -- microseconds from now
  p_payloads   text[],
  p_metadata   text[],         -- an array literal of key, value, key, value; or null
  p_lanes      text[],         -- null: under no limit
  p_limits     text[],         -- array literals: the keys of the lane,
  p_weights    text[],         --   how many slots of each,
  p_said_slots text[],         --   how many slots each shall have if nobody knows it yet
  p_repeat     boolean,
  p_quotas     text[] default null,     -- array literals: the keys of the quotas, in the order in which they decide,
  p_mosts      text[] default null,     --   how many tasks each allows,
  p_when_full  text[] default null,     --   what to do if there are as many
  p_chosen     boolean[] default null,  -- null: all
  p_workflows  text[] default null,     -- null: all stand alone; else the workflow of each, or null,
  p_steps      text[] default null,     --   the name of the step,
  p_on_failure text[] default null,     --   and what becomes of those after it if it fails
  p_advance    boolean default true,    -- false: in a transaction of the caller's, which may take long
  out existing uuid[], out "position" bigint, out full_ids uuid[], out full_keys text[], out full_tasks uuid[],
  out limited boolean  -- whether limits of types were added that the tasks do not name
) language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_added    record;
  v_now      timestamptz := clock_timestamp() + (select shift from berth.clock);
  v_inserted uuid[];
  v_ended    uuid[];
begin
  if p_when_full is not null then
    select s.existing, s.position, s.full_ids, s.full_keys, s.full_tasks, s.limited
      into existing, position, full_ids, full_keys, full_tasks, limited
      from berth.submit_under_quotas(
             p_ids, p_types, p_queues, p_priorities, p_due_ats, p_delays, p_payloads, p_metadata, p_lanes, p_limits,
             p_weights, p_said_slots, p_repeat, p_quotas, p_mosts, p_when_full, p_workflows, p_steps, p_on_failure,
             p_advance) s;
    return;
  end if;
  v_added := berth.add_type_limits(p_types, p_limits, p_weights, p_said_slots);
  limited := v_added.lanes is not null;
  if limited then
    p_lanes := v_added.lanes;
    p_limits := v_added.limits;
    p_weights := v_added.weights;
    p_said_slots := v_added.said_slots;
  end if;
  position := (extract(epoch from v_now) * 1000000)::bigint;
  with inserted as (
    insert into berth.task (
      id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step, step_number, on_failure)
    select s.id, v_now + s.number * interval '1 microsecond',
           greatest(s.due_at, v_now + s.delay * interval '1 microsecond'), v_now,
           case when s.workflow is not null then 'held' when s.due_at > v_now or s.delay > 0 then 'waiting'
                else 'ready' end::berth.task_state,
           s.priority, s.type, s.queue, s.payload, jsonb_object(s.metadata::text[]), s.lane, s.limits::text[],
           s.weights::integer[], s.said_slots::integer[], s.quotas::text[], s.mosts::integer[], s.workflow, s.step,
           case when s.workflow is not null then nextval('berth.step_number') end, s.on_failure::berth.on_failure
      from unnest(p_ids, p_types, p_queues, p_priorities, p_due_ats, p_delays, p_payloads, p_metadata, p_lanes,
                  p_limits, p_weights, p_said_slots, p_quotas, p_mosts, p_chosen, p_workflows, p_steps, p_on_failure)
             with ordinality
        as s (id, type, queue, priority, due_at, delay, payload, metadata, lane, limits, weights, said_slots, quotas,
              mosts, chosen, workflow, step, on_failure, number)
     where s.chosen is not false
    on conflict (id) do nothing
    returning id)
  select array_agg(id) into v_inserted from inserted;

  -- Looked up after the insert: the id was free, so whoever ended the task has committed and its history is visible.
  if p_repeat then
    select array_agg(i.id) into v_ended
      from unnest(v_inserted) as i (id)
     where (select true from berth.task_history h where h.task_id = i.id limit 1);
    if p_workflows is not null then
      v_ended := nullif(array(
        select unnest(v_ended) union select berth.known_steps(v_inserted, p_ids, p_workflows, p_steps)), '{}');
    end if;
    if v_ended is not null then
      delete from berth.task t where t.id = any (v_ended);
      existing := v_ended;
    end if;
  end if;

  if cardinality(v_inserted) is distinct from cardinality(p_ids) then
    existing := existing || array(select i.id from unnest(p_ids, p_chosen) as i (id, chosen)
                                   where i.chosen is not false except select unnest(v_inserted));
  end if;
  if p_quotas is not null then
    perform berth.enter_quotas(array(select unnest(v_inserted) except select unnest(existing)));
  end if;
  if p_workflows is not null then
    perform berth.take_in_steps(
      array(select distinct s.workflow from unnest(p_ids, p_workflows) as s (id, workflow)
             where s.workflow is not null and s.id = any (v_inserted)), p_advance, v_now);
  end if;
end $$;

-- The short way for one task that is new, due now, counted by no quota and no step of a workflow. Returns its position, or
-- null where only submit_batch can tell what to do: its type is under limits that the submit does not name.
create function berth.submit_one(
  p_id uuid, p_type text, p_queue text, p_priority smallint, p_payload text,
  p_metadata text[],   -- key, value, key, value; or null
  p_lane text, p_limits text[], p_weights integer[], p_said_slots integer[]  -- null: under no limit
) returns bigint language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_now timestamptz := clock_timestamp() + (select shift from berth.clock);
begin
  insert into berth.task (
    id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, lane, limits, weights, said_slots)
  select p_id, v_now, v_now, v_now, 'ready', p_priority, p_type, p_queue, p_payload, jsonb_object(p_metadata), p_lane,
         p_limits, p_weights, p_said_slots
   where not exists (select from berth.limits_of_type(p_type) l where p_limits is null or l.key <> all (p_limits))
  on conflict (id) do nothing;
  return case when found then berth.microseconds(v_now) end;
end $$;

create function berth.check_name(p_what text, p_name text) returns void language plpgsql immutable as $$
begin
  if p_name is null or p_name !~ '\S' then
    raise exception 'A % needs a name, but it was blank', p_what using errcode = 'invalid_parameter_value';
  elsif length(p_name) > 200 then
    raise exception 'The % name "%…" has % characters; at most 200 are allowed', p_what, left(p_name, 40), length(p_name)
      using errcode = 'invalid_parameter_value';
  elsif p_name ~ '[[:cntrl:]]' then
    raise exception 'The % name "%" contains a control character', p_what, regexp_replace(p_name, '[[:cntrl:]]', '?', 'g')
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- What the Java client checks before it submits, in the same words.
create function berth.check_submit(
  p_type text, p_payload jsonb, p_queue text, p_priority integer, p_metadata jsonb
) returns void language plpgsql immutable as $$
begin
  perform berth.check_name('task type', p_type);
  perform berth.check_name('queue', p_queue);
  if p_payload is null then
    raise exception 'A task of type % needs a payload', p_type using errcode = 'invalid_parameter_value';
  end if;
  if p_priority is null or p_priority not between 0 and 9 then
    raise exception 'Priority % is out of range: use 0 (last) to 9 (first)', coalesce(p_priority::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
  -- What a worker could not read would stand in the way of every claim.
  if jsonb_typeof(p_metadata) <> 'object'
     or jsonb_path_exists(p_metadata, '$.* ? (@.type() != "string")') then
    raise exception 'The metadata of a task is an object of texts, such as {"tenant": "a"}'
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- p_what: limit or quota. The rule of many keys is none: a task has one of them.
create function berth.check_key(p_what text, p_key text) returns void language plpgsql immutable as $$
begin
  if p_key !~ '^((limit|topic)/[^/]+|type/[^/]+(/[^/]+/[^/]+)?)$' or p_key ~ '%(?!25|2F)' or p_key ~ '[[:cntrl:]]'
     or p_key ~ '/\s*(/|$)' or length(p_key) > 500 then
    raise exception '"%" is not the key of a %: expected limit/NAME, topic/NAME, type/TYPE or type/TYPE/NAME/VALUE, '
                    'with %%25 for a percent sign and %%2F for a slash', left(p_key, 100), p_what
      using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Submit from SQL: durable with the caller's transaction, workers wake at its commit. An id of the caller's own makes
-- it idempotent for as long as the task or its history is kept.
create function berth.submit(
  type     text,
  payload  jsonb       default 'null',
  queue    text        default 'default',
  priority integer     default 5,
  due_at   timestamptz default null,
  id       uuid        default null,
  metadata jsonb       default null,
  quotas   jsonb       default null,  -- how many tasks may be pending or running, by key: {"type/backup/db/sales": 2}
  limits   jsonb       default null   -- ["type/import/customer/7"], {"limit/gpu": 4} or {"limit/gpu": {"slots": 4, "weight": 2}},
                                      --   besides those of the type
) returns uuid language plpgsql as $$
declare
  v_now timestamptz := berth.now();
  v_id  uuid        := coalesce(id, berth.new_id());
  v_quotas text[];
  v_mosts  integer[];
  v_lane   record;
begin
  perform berth.check_submit(submit.type, submit.payload, submit.queue, submit.priority, submit.metadata);
  if submit.quotas is not null then
    select r.keys, r.mosts into v_quotas, v_mosts from berth.read_quotas(submit.quotas) r;
  end if;
  v_lane := berth.sql_lane(submit.type, submit.limits);
  insert into berth.task as t (
    id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, quotas, quota_mosts, lane, limits,
    weights, said_slots)
  values (v_id, v_now, greatest(submit.due_at, v_now), v_now,
          case when submit.due_at > v_now then 'waiting' else 'ready' end::berth.task_state,
          submit.priority, submit.type, submit.queue, submit.payload::text, submit.metadata, v_quotas, v_mosts,
          v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots)
  on conflict on constraint task_pkey do nothing;
  if not found then
    return v_id;
  end if;
  -- An id stays taken while history knows it. Looked up after the insert, as in submit_batch.
  if submit.id is not null and exists (select from berth.task_history h where h.task_id = v_id) then
    delete from berth.task t where t.id = v_id;
    return v_id;
  end if;
  if v_quotas is not null then
    perform berth.enter_quotas(array[v_id]);
    perform berth.refuse_over_quota(v_quotas, v_mosts);
  end if;
  -- The start of the transaction is a position before all it submits, and the same each time: one wake-up per queue.
  if submit.due_at > v_now then
    perform berth.wake_due(submit.queue, submit.due_at);
  else
    perform berth.wake_ready(submit.queue, case when v_lane.lane is null then submit.priority else -2 end,
                             transaction_timestamp() + (select shift from berth.clock));
  end if;
  return v_id;
end $$;

-- A version 7 UUID: milliseconds, then random bits.
create function berth.new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
              from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid
$$;
