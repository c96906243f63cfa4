-- WHO SUBMITS is current_user, written down by the default of a column that nobody may name, as in a launch. In a function
-- with the rights of the owner it could not be known any more. So a submit is an insert into a view, and this is its trigger.

-- A SQL task is made by a launch: its launcher and its limits are not for who submits to say.
create function berth_private.refuse_sql() returns void language plpgsql as $$
begin
  raise exception 'Tasks of type berth.sql are launched, with berth.launch' using errcode = 'invalid_parameter_value';
end $$;

create function berth_private.take_submit() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_submitter(new.caller, array[new.type], array[new.queue], null,
    array[array(select jsonb_object_keys(case when jsonb_typeof(new.quotas) = 'object' then new.quotas end))::text],
    case when exists (select from berth_private.role_grant g where g.queues is not null)
         then array[(berth_private.read_quotas(new.type, new.quotas)).when_full::text] end,  -- those of the type among them
    case when jsonb_path_exists(new.limits, '$.* ? (@ == 0 || @.slots == 0)') then '{"{0}"}'::text[] end);
  if new.type = 'berth.sql' then
    perform berth_private.refuse_sql();
  end if;
  if new.workflow is not null or new.step is not null then
    new.id := berth_private.submit_step(
      new.workflow, new.step, new.type, new.payload, new.queue, new.priority, new.due_at, new.metadata, new.limits,
      new.on_failure, new.quotas);
  else
    new.id := berth_private.submit_task(
      new.type, new.payload, new.queue, new.priority, new.due_at, new.id, new.metadata, new.quotas, new.limits,
      new.name);
  end if;
  return new;
end $$;

create function berth_private.take_submit_batch() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  v_done record;
begin
  perform berth_private.check_submitter(new.caller, new.types, new.queues, new.limits, new.quotas, new.when_full, new.said_slots);
  perform berth_private.check_batch(
    new.types, new.queues, new.due_ats, new.delays, new.metadata, new.lanes, new.limits, new.weights, new.said_slots, new.quotas,
    new.mosts, new.when_full, new.workflows, new.steps, new.on_failure);
  if 'berth.sql' = any (new.types) then
    perform berth_private.refuse_sql();
  end if;
  v_done := berth_private.submit_tasks(
    new.ids, new.types, new.queues, new.priorities, new.due_ats, new.delays, new.payloads, new.metadata, new.lanes, new.limits,
    new.weights, new.said_slots, new.repeat, new.quotas, new.mosts, new.when_full, new.workflows, new.steps, new.on_failure,
    new.advance, new.names);
  new.existing := v_done.existing;
  new.position := v_done.position;
  new.full_ids := v_done.full_ids;
  new.full_keys := v_done.full_keys;
  new.full_tasks := v_done.full_tasks;
  new.limited := v_done.limited;
  return new;
end $$;

create function berth_private.take_submit_one() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_bounded boolean;  -- whether some roles may submit certain types or queues only
begin
  select clock_timestamp() + c.shift,
         exists (select from berth_private.role_grant g where g.types is not null or g.queues is not null)
    into v_now, v_bounded from berth_private.clock c;
  if v_bounded then
    perform berth_private.check_submitter(
      new.caller, array[new.type], array[new.queue], array[new.limits::text], null, null, array[new.said_slots::text]);
  end if;
  if new.type = 'berth.sql' then
    perform berth_private.refuse_sql();
  end if;
  if octet_length(new.payload) > berth_private.always_fits() then
    perform berth_private.check_size('payload', new.type, octet_length(new.payload));
  end if;
  if pg_column_size(new.metadata) > berth_private.always_fits() then
    perform berth_private.check_size('metadata', new.type, octet_length(new.metadata::text));
  end if;
  -- Plain names are told at a glance: somebody waits for the end of this.
  if (new.type || new.queue ~ '^[-.:@0-9A-Za-z_]+$' and length(new.type) between 1 and 200
      and length(new.queue) between 1 and 200) is not true then
    perform berth_private.check_name('task type', new.type), berth_private.check_name('queue', new.queue);
  end if;
  if new.metadata is not null then
    perform berth_private.check_pairs(new.metadata);
  end if;
  if num_nonnulls(new.lane, new.limits, new.weights, new.said_slots) > 0
     and berth_private.is_plain_lane(
           new.type, new.lane, new.limits::text, new.weights::text, new.said_slots::text) is not true then
    perform berth_private.check_lane(new.type, new.queue, new.lane, new.limits, new.weights, new.said_slots);
  end if;
  insert into berth_private.task (
    id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, lane, limits, weights, said_slots)
  select new.id, v_now, v_now, v_now, 'ready', new.priority, new.type, new.queue, new.payload, jsonb_object(new.metadata),
         new.lane, new.limits, new.weights, new.said_slots
   where not exists (select from berth_private.limits_of_type(new.type) l
                      where new.limits is null or l.key <> all (new.limits))
  on conflict (id) do nothing;
  if found then
    new.position := berth_private.microseconds(v_now);
  end if;
  return new;
end $$;
