-- SQL tasks: statements that run in the database, with the rights of the role that launched them and no others.
--
-- WHO LAUNCHED IT is current_user, written down by the default of a column that nobody may name: berth.launching. It is
-- no argument, so it cannot be forged; and it is evaluated before any function of ours with more rights begins.
--
-- WHAT IT MAY DO. A worker runs each statement on a connection of its own, which is closed afterwards. It is logged in
-- as the launcher itself, or as a runner: a role without any rights and memberships. The runner calls run_as_N, a
-- function that is owned by the launcher and runs with the launcher's rights; inside it PostgreSQL refuses to change the
-- role and to end the transaction. Whatever the statement leaves for the commit runs as the runner, who may do nothing.
--
-- WHAT MAY RUN. A runner may call the run_as_N of every launcher, so the call proves nothing. The ticket does: the worker
-- writes which task the backend with this number is for, and the view berth.ticket shows it to that backend, and only
-- while the role in force is the launcher. In the backend of one launcher's task there is no ticket for another.
--
-- EXACTLY ONCE. The last statement of the transaction is finish_sql: it ends the task, if the ticket's token still owns
-- it, under the lock of the session. So the effect and the mark are there together or not at all.

-- What was launched. Kept for as long as the task or its history.
create table berth.sql_task (
  task_id        uuid    not null,
  launcher       regrole not null,
  statement      text    not null,
  topics         text[]  not null,
  in_transaction boolean not null,
  timeout        interval,
  search_path    text    not null,  -- that of the launch: the statement means what it meant there
  constraint sql_task_pkey primary key (task_id)
);

-- Which backend may run which task, for as long as the token owns it.
create table berth.sql_ticket (
  pid     integer not null,
  task_id uuid    not null,
  token   bigint  not null,
  constraint sql_ticket_pkey primary key (pid)
);

create index sql_ticket_task on berth.sql_ticket (task_id);

-- Its one row is locked by the worker that connects just now. No advisory lock, which any launcher could hold for ever.
create table berth.sql_door (
  only_row boolean not null default true,
  constraint sql_door_pkey primary key (only_row),
  constraint sql_door_one_row check (only_row)
);

insert into berth.sql_door default values;

-- The way in: an insert launches. The right to name the launcher is given to nobody.
create view berth.launching as
  select null::uuid as id, null::text as statement, null::text[] as topics, null::boolean as in_transaction,
         null::interval as timeout, null::text as search_path, null::timestamptz as due_at, null::integer as priority,
         null::text as queue, null::name as launcher;

alter view berth.launching alter column launcher set default current_user;

-- A function that runs as this role, if it may launch.
create function berth.run_as(p_launcher oid) returns text language sql stable as $$
  select format('berth.%I', p.proname) from pg_catalog.pg_proc p
   where p.pronamespace = 'berth'::regnamespace and p.proowner = p_launcher and p.proname ~ '^run_as_[0-9]+$'
   order by p.oid limit 1
$$;

create function berth.take_launch() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  v_launcher record;
  v_limits   jsonb;
begin
  select r.oid, r.rolname, r.rolsuper into v_launcher from pg_roles r where r.rolname = new.launcher;
  if v_launcher.rolsuper then
    raise exception 'Role % is a superuser, who cannot launch SQL tasks: set role to another one before', new.launcher
      using errcode = 'insufficient_privilege';
  elsif berth.run_as(v_launcher.oid) is null then
    raise exception 'Role % may not launch SQL tasks: an administrator allows it with select berth.allow_launch(%)',
      new.launcher, quote_literal(new.launcher) using errcode = 'insufficient_privilege';
  end if;
  if new.statement is null
     or regexp_replace(regexp_replace(new.statement, '/\*.*?\*/', '', 'g'), '--[^\n]*', '', 'g') ~ '^[\s;]*$' then
    raise exception 'A SQL task needs a statement, but it was empty' using errcode = 'invalid_parameter_value';
  elsif length(new.statement) > 1000000 then
    raise exception 'The statement has % characters; at most 1000000 are allowed', length(new.statement)
      using errcode = 'invalid_parameter_value';
  elsif new.timeout <= interval '0' then
    raise exception 'The timeout of a SQL task must be longer than zero, not %', new.timeout
      using errcode = 'invalid_parameter_value';
  end if;
  new.id := coalesce(new.id, berth.new_id());
  new.search_path := coalesce(new.search_path, '"$user", public');
  new.topics := array(select distinct t from unnest(new.topics) as t order by t);
  v_limits := coalesce(
    (select jsonb_object_agg(berth.topic_key(t), s.max_parallel)
       from unnest(new.topics) as t cross join lateral berth.topic_settings(t) s), '{}');

  -- An id of the caller's own: the same again is no second task, somebody else's is an error.
  if exists (select from berth.sql_task s where s.task_id = new.id and s.launcher = v_launcher.oid) then
    return new;
  end if;
  perform berth.submit('berth.sql', to_jsonb(new.launcher::text), coalesce(new.queue, 'sql'), coalesce(new.priority, 5),
                       new.due_at, new.id, null, null, v_limits);
  insert into berth.sql_task (task_id, launcher, statement, topics, in_transaction, timeout, search_path)
  select new.id, v_launcher.oid, new.statement, new.topics, coalesce(new.in_transaction, true), new.timeout, new.search_path
    from berth.task t where t.id = new.id and t.type = 'berth.sql'
  on conflict (task_id) do nothing;
  if not found then
    raise exception 'The id % is that of another task', new.id using errcode = 'unique_violation';
  end if;
  return new;
end $$;

revoke execute on function berth.take_launch() from public;

create trigger take_launch instead of insert on berth.launching for each row execute function berth.take_launch();

-- Makes a statement a task, which runs once the caller's transaction has committed. Never an error for want of a worker.
create function berth.launch(
  statement   text,
  topics      text[]      default '{}',
  transaction boolean     default true,  -- false: for what cannot run in one, such as VACUUM; then it may run twice
  timeout     interval    default null,
  due_at      timestamptz default null,
  priority    integer     default 5,
  queue       text        default 'sql',
  id          uuid        default null   -- of the caller's own: idempotent
) returns uuid language plpgsql as $$
declare
  v_id uuid := coalesce(launch.id, berth.new_id());
begin
  if not pg_catalog.has_column_privilege('berth.launching', 'statement', 'insert') then
    raise exception 'Role % may not launch SQL tasks: an administrator allows it with select berth.allow_launch(%)',
      current_user, pg_catalog.quote_literal(current_user) using errcode = 'insufficient_privilege';
  end if;
  insert into berth.launching (id, statement, topics, in_transaction, timeout, search_path, due_at, priority, queue)
  values (v_id, launch.statement, coalesce(launch.topics, '{}'), launch.transaction, launch.timeout,
          pg_catalog.current_setting('search_path'), launch.due_at, launch.priority, launch.queue);
  return v_id;
end $$;

-- Why a role is not fit to be a runner; null if it is.
create function berth.runner_fault(p_role oid) returns text language sql stable as $$
  select case when r.rolsuper then 'is a superuser'
              when r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls then 'has attributes beyond LOGIN'
              when n.nspowner = r.oid then 'owns the schema berth'
              when m.roleid is not null then 'is a member of ' || m.roleid::regrole end
    from pg_catalog.pg_roles r
   cross join pg_catalog.pg_namespace n
    left join lateral (select a.roleid from pg_catalog.pg_auth_members a where a.member = r.oid limit 1) m on true
   where r.oid = p_role and n.nspname = 'berth'
$$;

-- Lets a role launch, and the runner run what it launched. For a superuser, or for who owns this schema and is a member
-- of the role: nobody can hand out rights that are not theirs.
create function berth.allow_launch(role text, runner text default 'berth_runner') returns void language plpgsql as $$
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
  select r.oid, r.rolname, berth.runner_fault(r.oid) as fault into v_runner
    from pg_catalog.pg_roles r where r.rolname = allow_launch.runner;
  if not found then
    raise exception 'There is no role % to run SQL tasks: make one without any rights, with create role % login noinherit',
      allow_launch.runner, pg_catalog.quote_ident(allow_launch.runner) using errcode = 'undefined_object';
  elsif v_runner.fault is not null then
    raise exception 'Role % cannot be the runner, it %: use one without any rights', allow_launch.runner, v_runner.fault
      using errcode = 'invalid_parameter_value';
  end if;

  execute format('grant usage on schema berth to %I, %I', v_role.rolname, v_runner.rolname);
  execute format('grant insert (id, statement, topics, in_transaction, timeout, search_path, due_at, priority, queue) '
                 'on berth.launching to %I', v_role.rolname);
  execute format('grant select on berth.sql_tasks, berth.ticket to %I', v_role.rolname);
  execute format('grant execute on function berth.finish_sql(text) to %I, %I', v_role.rolname, v_runner.rolname);
  v_name := berth.run_as(v_role.oid);
  if v_name is null then
    v_name := 'berth.run_as_' || v_role.oid;
    execute format(
      'create function %s(out rows bigint, out result text) language plpgsql security definer as '
      '''begin select r.rows, r.result into rows, result from berth.run_ticket() r; end''', v_name);
    execute format('revoke all on function %s from public', v_name);
    execute format('grant execute on function %s to %I', v_name, v_runner.rolname);
    execute format('grant create on schema berth to %I', v_role.rolname);  -- a new owner must have it for this moment
    execute format('alter function %s owner to %I', v_name, v_role.rolname);
    execute format('revoke create on schema berth from %I', v_role.rolname);
  else
    execute format('grant execute on function %s to %I', v_name, v_runner.rolname);
  end if;
end $$;

-- Takes it back, but for the use of the schema, which may be for more. What it has launched and did not start fails.
create function berth.forbid_launch(role text) returns void language plpgsql as $$
declare
  v_role record;
begin
  select r.oid, r.rolname into v_role from pg_catalog.pg_roles r where r.rolname = forbid_launch.role;
  if not found then
    raise exception 'There is no role %', forbid_launch.role using errcode = 'undefined_object';
  elsif berth.run_as(v_role.oid) is null then
    raise exception 'Role % may not launch SQL tasks anyway', forbid_launch.role using errcode = 'invalid_parameter_value';
  end if;
  execute 'drop function ' || berth.run_as(v_role.oid);
  execute format('revoke all on berth.launching, berth.sql_tasks, berth.ticket from %I', v_role.rolname);
  execute format('revoke all on function berth.finish_sql(text) from %I', v_role.rolname);
end $$;

-- How many connections others than superusers can still open. By columns that every role can read: of others' backends
-- the kind is hidden. Parallel workers are counted as well, so there may be some more.
create function berth.free_connections() returns integer language sql volatile as $$
  select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true), '0')::integer
         - (select count(*) from pg_catalog.pg_stat_activity a where a.datid is not null and a.usesysid is not null)::integer
$$;

-- The worker's first step: whose task it is, why it cannot run (null: it can), and how many connections are free. Until
-- the caller's transaction ends no other worker gets an answer: what is free is still free when the caller connects.
create function berth.prepare_sql(
  p_task uuid, p_token bigint, out launcher text, out refused text, out free integer
) language plpgsql as $$
declare
  v_task record;
begin
  select s.launcher, r.rolname, r.rolsuper into v_task
    from berth.sql_task s left join pg_catalog.pg_roles r on r.oid = s.launcher
   where s.task_id = p_task;
  if not found then
    refused := 'it was not launched with berth.launch';
  elsif exists (select from berth.task_history h where h.task_id = p_task and h.final) then
    refused := 'it has ended before: whoever made it live again did not use berth.retry';
  elsif v_task.rolname is null then
    refused := 'the role that launched it is gone';
  elsif v_task.rolsuper then
    refused := format('the role that launched it, %s, is a superuser now', v_task.rolname);
  elsif berth.run_as(v_task.launcher) is null then
    refused := format('the role that launched it, %s, may not launch any more', v_task.rolname);
  end if;
  launcher := v_task.rolname;
  if refused is null then
    -- A worker that freezes with the lock loses it.
    perform pg_catalog.set_config('idle_in_transaction_session_timeout', '15s', true);
    perform from berth.sql_door for update;
    free := berth.free_connections();
  end if;
end $$;

-- The second step: the backend with this number may run the task. call: the function to call there. direct: it is logged
-- in as the launcher. left_behind: a backend that still runs an earlier attempt, whose worker died.
create function berth.admit_sql(
  p_task uuid, p_token bigint, p_pid integer,
  out refused text, out call text, out direct boolean, out in_transaction boolean, out statement text,
  out search_path text, out timeout_ms bigint, out left_behind integer
) language plpgsql as $$
declare
  v_backend record;
  v_task    berth.sql_task;
begin
  select a.usesysid, a.usename, berth.runner_fault(a.usesysid) as fault into v_backend
    from pg_catalog.pg_stat_activity a where a.pid = p_pid and a.datname = current_database();
  if not found then
    refused := format('this database has no backend %s: the runner must connect to it straight, not through a pooler', p_pid);
    return;
  end if;
  select * into v_task from berth.sql_task s where s.task_id = p_task;
  direct := v_backend.usesysid = v_task.launcher;
  if not direct and v_backend.fault is not null then
    refused := format('role %s cannot be the runner, it %s', v_backend.usename, v_backend.fault);
    return;
  end if;
  -- No other SQL task has had this number since, or its ticket would be gone.
  select k.pid into left_behind
    from berth.sql_ticket k
    join pg_catalog.pg_stat_activity a on a.pid = k.pid and a.usesysid = v_backend.usesysid
   where k.task_id = p_task and k.pid <> p_pid;
  delete from berth.sql_ticket k where k.pid = p_pid or k.task_id = p_task;
  insert into berth.sql_ticket (pid, task_id, token) values (p_pid, p_task, p_token);
  call := case when direct then 'berth.run_ticket' else berth.run_as(v_task.launcher) end;
  in_transaction := v_task.in_transaction;
  statement := v_task.statement;
  search_path := v_task.search_path;
  timeout_ms := extract(epoch from v_task.timeout) * 1000;
end $$;

-- What this backend may run as the role in force.
create view berth.ticket with (security_barrier) as
  select s.task_id, s.statement, s.search_path
    from berth.sql_ticket k
    join berth.task t on t.id = k.task_id and t.token = k.token
    join berth.sql_task s on s.task_id = k.task_id
   where k.pid = pg_catalog.pg_backend_pid()
     and s.launcher = (select r.oid from pg_catalog.pg_roles r where r.rolname = current_user);

-- Runs the statement of the ticket, with the rights of the caller. Returns how many rows it returned or changed, and the
-- first of those it returned. Triggers and cursors that wait for the commit are ended here, where the rights are right.
create function berth.run_ticket(out rows bigint, out result text) language plpgsql as $$
declare
  v_ticket  record;
  v_cursor  refcursor;
  v_row     record;
  v_rest    bigint;
  v_returns boolean := true;
  v_first   text[] := '{}';
  v_size    integer := 0;
begin
  select * into v_ticket from berth.ticket;
  if not found then
    raise exception 'There is no SQL task for this backend and role %', current_user
      using errcode = 'insufficient_privilege';
  end if;
  perform pg_catalog.set_config('search_path', v_ticket.search_path, false);
  begin
    open v_cursor for execute v_ticket.statement;
  exception when invalid_cursor_definition then  -- it returns no rows, or is several statements: nothing has run
    v_returns := false;
  end;
  if v_returns then
    rows := 0;
    loop
      fetch v_cursor into v_row;
      exit when not found;
      rows := rows + 1;
      if pg_catalog.pg_column_size(v_row) < 16000 then
        v_first := v_first || pg_catalog.to_jsonb(v_row)::text;
        v_size := v_size + pg_catalog.length(v_first[pg_catalog.cardinality(v_first)]);
      else
        v_size := 16001;
      end if;
      if v_size > 16000 then
        v_first := v_first[: pg_catalog.cardinality(v_first) - 1];
      end if;
      if v_size > 16000 or rows = 100 then
        move forward all in v_cursor;
        get diagnostics v_rest = row_count;
        rows := rows + v_rest;
        exit;
      end if;
    end loop;
    result := '[' || pg_catalog.array_to_string(v_first, ', ') || ']';
  else
    execute v_ticket.statement;
    get diagnostics rows = row_count;
  end if;
  set constraints all immediate;
  execute 'close all';
end $$;

-- The last statement of the transaction: the task of this backend has finished. False: it belongs to others by now, and
-- the caller must roll back. After it the transaction writes no more, whatever may still run in its commit.
create function berth.finish_sql(p_result text) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off as $$
declare
  v_ticket  berth.sql_ticket;
  v_session record;
  v_written record;
  v_held    berth.slots_held[];
begin
  select * into v_ticket from berth.sql_ticket k where k.pid = pg_backend_pid();
  if not found then
    return false;
  end if;
  -- Locked against an expiry in the middle of this, as in begin_exchange.
  select s.id, s.worker, s.expires_at into v_session
    from berth.task t join berth.session s on s.id = t.session_id
   where t.id = v_ticket.task_id and t.token = v_ticket.token for key share of s;
  if not found or v_session.expires_at <= berth.now() then
    return false;
  end if;
  v_written := berth.write_outcomes(
    v_session.id, v_session.worker, berth.now(), array[v_ticket.task_id], array[v_ticket.token],
    array['finished'], array[p_result], array[0]);
  if v_written.stale is not null then
    return false;
  end if;
  v_held := array(select h from unnest(v_written.freed) as f cross join lateral unnest(f.held) as h);
  if v_held <> '{}' then
    perform berth.give_back(v_held);
    perform berth.wake_waiting(array(select distinct h.key from unnest(v_held) as h));
  end if;
  delete from berth.sql_ticket k where k.pid = v_ticket.pid;
  perform set_config('transaction_read_only', 'on', true);
  return true;
end $$;

revoke execute on function berth.finish_sql(text) from public;

-- After n failures: 2^n seconds, an hour at most.
create function berth.sql_retry_delay(p_failures integer) returns interval language sql immutable as $$
  select least(3600, power(2, least(p_failures, 12))) * interval '1 second'
$$;

-- A failed attempt: after how many milliseconds it is tried again, null: not at all. The strictest topic decides.
-- p_lost: the connection broke, which is no fault of the statement as a rule; so it may be tried some times in any case.
create function berth.retry_sql(p_task uuid, p_token bigint, p_lost boolean) returns bigint language plpgsql as $$
declare
  v_failures integer;
  v_most     integer;
begin
  delete from berth.sql_ticket k where k.task_id = p_task and k.token = p_token;
  select t.failures + 1, berth.retries_under(s.topics) into v_failures, v_most
    from berth.task t join berth.sql_task s on s.task_id = t.id
   where t.id = p_task and t.token = p_token;
  return case when v_failures <= greatest(v_most, case when p_lost then 5 end)
              then extract(epoch from berth.sql_retry_delay(v_failures)) * 1000 end;
end $$;

-- For those who launched them, and for members of the owner of this schema.
create view berth.sql_tasks with (security_barrier) as
  select s.task_id as id, s.statement, s.topics, lower(t.state) as state,
         t.submitted_at as joined_at, t.started_at, t.ended_at as closed_at,
         -- how often it was or will be tried again
         t.failures + t.crashes - (t.state = 'FAILED')::integer as retry_count,
         case when t.state = 'RETRYING' and t.failures > 0 then berth.sql_retry_delay(t.failures)
              else interval '0' end as retry_delay,
         coalesce((select string_agg(format('attempt %s: %s', a.attempt, a.error), E'\n' order by a.ended_at)
                     from berth.task_history a where a.task_id = s.task_id and a.error is not null),
                  t.error) as errors,
         s.launcher::text as launcher, s.in_transaction, s.timeout,
         (t.result::jsonb ->> 'rows')::bigint as rows, t.result::jsonb -> 'result' as result
    from berth.sql_task s join berth.tasks t on t.id = s.task_id
   where pg_catalog.pg_has_role(s.launcher, 'member')
      or pg_catalog.pg_has_role((select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'berth'), 'member');

create function berth.prune_sql_tasks() returns void language sql as $$
  delete from berth.sql_task s
   where not exists (select from berth.task t where t.id = s.task_id)
     and not exists (select from berth.task_history h where h.task_id = s.task_id);
  delete from berth.sql_ticket k
   where not exists (select from berth.task t where t.id = k.task_id and t.token = k.token)
$$;
