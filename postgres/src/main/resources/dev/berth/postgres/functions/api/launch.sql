-- The way in: an insert launches. The right to name the launcher is given to nobody.
create view berth.launching as
  select null::uuid as id, null::text as statement, null::text[] as topics, null::boolean as in_transaction,
         null::interval as timeout, null::text as search_path, null::timestamptz as due_at, null::integer as priority,
         null::text as queue, null::name as launcher;

alter view berth.launching alter column launcher set default current_user;

create trigger take_launch instead of insert on berth.launching for each row execute function berth_private.take_launch();

-- Makes a statement a task, which runs once the caller's transaction has committed. Never an error for want of a worker.
create function berth.launch(
  statement   text,
  topics      text[]      default '{}',
  transaction boolean     default true,  -- false: for what cannot run in one, such as VACUUM; then it may run twice
  timeout     interval    default null,  -- null: that of set_sql_timeout
  due_at      timestamptz default null,
  priority    integer     default 5,
  queue       text        default 'sql',
  id          uuid        default null   -- of the caller's own: idempotent
) returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  if not pg_catalog.has_column_privilege('berth.launching', 'statement', 'insert') then
    raise exception 'Role % may not launch SQL tasks: an administrator allows it with select berth.allow_launch(%)',
      current_user, pg_catalog.quote_literal(current_user) using errcode = 'insufficient_privilege';
  end if;
  insert into berth.launching as l (id, statement, topics, in_transaction, timeout, search_path, due_at, priority, queue)
  values (launch.id, launch.statement, coalesce(launch.topics, '{}'), launch.transaction, launch.timeout,
          pg_catalog.current_setting('search_path'), launch.due_at, launch.priority, launch.queue)
  returning l.id into v_id;
  return v_id;
end $$;

-- Lets a role launch, and the runner run what it launched. For a superuser, or for who owns this schema and is a member
-- of the role: nobody can hand out rights that are not theirs.
create function berth.allow_launch(role text, runner text default 'berth_runner') returns void language plpgsql
  set search_path = pg_catalog, pg_temp as $$
declare
  v_role   record;
  v_runner record;
  v_name   text;
begin
  select r.oid, r.rolname, r.rolsuper into v_role from pg_catalog.pg_roles r where r.rolname = allow_launch.role;
  if not found then
    raise exception 'There is no role %', allow_launch.role using errcode = 'undefined_object';
  elsif v_role.rolsuper then
    raise exception 'Role % is a superuser, who cannot launch SQL tasks', allow_launch.role
      using errcode = 'invalid_parameter_value';
  end if;
  select r.oid, r.rolname, berth_private.runner_fault(r.oid) as fault into v_runner
    from pg_catalog.pg_roles r where r.rolname = allow_launch.runner;
  if not found then
    raise exception 'There is no role % to run SQL tasks: make one without any rights, with create role % login noinherit',
      allow_launch.runner, pg_catalog.quote_ident(allow_launch.runner) using errcode = 'undefined_object';
  elsif v_runner.fault is not null then
    raise exception 'Role % cannot be the runner, it %: use one without any rights', allow_launch.runner, v_runner.fault
      using errcode = 'invalid_parameter_value';
  end if;

  perform berth_private.allow(v_role.rolname, 'launch', null, null);
  execute format('grant usage on schema berth to %I', v_runner.rolname);
  v_name := berth_private.run_as(v_role.oid);
  if v_name is null then
    v_name := 'berth.run_as_' || v_role.oid;
    execute format(
      'create function %s(out rows bigint, out result text) language plpgsql security definer '
      'set search_path = pg_catalog, pg_temp as '
      '''begin select r.rows, r.result into rows, result from berth.run_ticket() r; end''', v_name);
    execute format('revoke all on function %s from public', v_name);
    execute format('grant execute on function %s to %I', v_name, v_runner.rolname);
    execute format('grant create on schema berth to %I', v_role.rolname);  -- a new owner must have it for this moment
    execute format('alter function %s owner to %I', v_name, v_role.rolname);
    execute format('revoke create on schema berth from %I', v_role.rolname);
  else
    execute format('grant execute on function %s to %I', v_name, v_runner.rolname);
  end if;
  perform berth_private.give_runners();
end $$;

-- Takes it back, but for the use of the schema, which may be for more. What it has launched and did not start fails.
create function berth.forbid_launch(role text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_role record;
begin
  select r.oid, r.rolname into v_role from pg_catalog.pg_roles r where r.rolname = forbid_launch.role;
  if not found then
    raise exception 'There is no role %', forbid_launch.role using errcode = 'undefined_object';
  elsif berth_private.run_as(v_role.oid) is null then
    raise exception 'Role % may not launch SQL tasks anyway', forbid_launch.role using errcode = 'invalid_parameter_value';
  end if;
  execute 'drop function ' || berth_private.run_as(v_role.oid);
  perform berth_private.forbid(v_role.rolname, 'launch');
end $$;

-- For tasks that are launched from now on and name no timeout; 1 hour at first.
create function berth.set_sql_timeout(timeout interval) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_sql_timeout(set_sql_timeout.timeout);
  update berth_private.sql_door d set timeout = set_sql_timeout.timeout;
end $$;

-- What was stored as the result of a task, if it can be read: one that cannot must not hide the others.
create function berth.sql_result(p_stored text, out rows bigint, out result jsonb) language plpgsql immutable strict
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  rows := (p_stored::jsonb ->> 'rows')::bigint;
  result := p_stored::jsonb -> 'result';
exception when others then
  rows := null;
end $$;

-- For those who launched them, and for members of the owner of this schema.
create view berth.sql_tasks with (security_barrier) as
  select s.task_id as id, s.statement, s.topics, lower(t.state) as state,
         t.submitted_at as joined_at, t.started_at, t.ended_at as closed_at,
         -- how often it was or will be tried again
         t.failures::bigint + t.crashes - (t.state = 'FAILED')::integer as retry_count,
         case when t.state = 'RETRYING' and t.failures > 0
              then least(3600, power(2, least(t.failures, 12))) * interval '1 second'  -- as sql_retry_delay says
              else interval '0' end as retry_delay,
         coalesce((select string_agg(format('attempt %s: %s', a.attempt, a.error), E'\n' order by a.ended_at)
                     from berth_private.task_history a where a.task_id = s.task_id and a.error is not null),
                  t.error) as errors,
         s.launcher::text as launcher, s.in_transaction, s.timeout,
         r.rows, r.result
    from berth_private.sql_task s join berth.tasks t on t.id = s.task_id
   cross join lateral berth.sql_result(t.result) r
   where pg_catalog.pg_has_role(s.launcher, 'member')
      or pg_catalog.pg_has_role((select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'berth'), 'member');
