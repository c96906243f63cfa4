-- The way in from SQL: an insert submits. The right to name the caller is given to nobody.
create view berth.submitting as
  select null::text as type, null::jsonb as payload, null::text as queue, null::integer as priority,
         null::timestamptz as due_at, null::uuid as id, null::jsonb as metadata, null::jsonb as quotas, null::jsonb as limits,
         null::text as workflow, null::text as step, null::text as on_failure, null::text as name, null::name as caller;

alter view berth.submitting alter column caller set default current_user;

create trigger take_submit instead of insert on berth.submitting
  for each row execute function berth_private.take_submit();

-- Submit from SQL: durable with the caller's transaction, workers wake at its commit. An id or a name of the
-- caller's own makes it idempotent for as long as the task or its history is kept; another task under it is an error.
create function berth.submit(
  type     text,
  payload  jsonb       default 'null',
  queue    text        default 'default',
  priority integer     default 5,
  due_at   timestamptz default null,
  id       uuid        default null,
  metadata jsonb       default null,
  quotas   jsonb       default null,  -- how many tasks may be pending or running, by key: {"type/backup/db/sales": 2}
  limits   jsonb       default null,  -- ["type/import/customer/7"], {"limit/gpu": 4} or {"limit/gpu": {"slots": 4, "weight": 2}},
                                      --   besides those of the type
  name     text        default null   -- instead of an id: a text that makes one, for each type another
) returns uuid language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
begin
  insert into berth.submitting as s (type, payload, queue, priority, due_at, id, metadata, quotas, limits, name)
  values (submit.type, submit.payload, submit.queue, submit.priority, submit.due_at, submit.id, submit.metadata, submit.quotas,
          submit.limits, submit.name)
  returning s.id into v_id;
  return v_id;
end $$;

-- Submit a step from SQL: it runs when all steps before it have ended. A step that is there already, or has run, stays
-- as it is.
create function berth.submit_step(
  workflow   text,
  step       text,
  type       text,
  payload    jsonb       default 'null',
  queue      text        default 'default',
  priority   integer     default 5,
  due_at     timestamptz default null,
  metadata   jsonb       default null,
  limits     jsonb       default null,
  on_failure text        default 'halt',  -- or 'continue', 'cancel_rest'
  quotas     jsonb       default null
) returns uuid language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
begin
  insert into berth.submitting as s (
    workflow, step, type, payload, queue, priority, due_at, metadata, limits, on_failure, quotas)
  values (coalesce(submit_step.workflow, ''), coalesce(submit_step.step, ''), submit_step.type, submit_step.payload,
          submit_step.queue, submit_step.priority, submit_step.due_at, submit_step.metadata, submit_step.limits,
          submit_step.on_failure, submit_step.quotas)
  returning s.id into v_id;
  return v_id;
end $$;
