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
-- it, under the lock of the session. So the effect and the mark are there together or not at all. The statement runs in the
-- same backend and could call it too: so the ticket has a proof, which only the worker was told.

-- THE WORKER shows the proofs of its sessions: tasks and tokens come again after a restore.

-- The worker's first step: whose task it is, why it cannot run (null: it can), and how many connections are free. Until
-- the caller's transaction ends no other worker gets an answer: what is free is still free when the caller connects.
create function berth.prepare_sql(
  p_task uuid, p_token bigint, p_proofs uuid[], out launcher text, out refused text, out free integer
) language plpgsql
  set lock_timeout = '5s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_task record;
begin
  perform berth_private.check_runs_in(p_task, p_token, p_proofs);
  select s.launcher, r.rolname, r.rolsuper into v_task
    from berth_private.sql_task s left join pg_catalog.pg_roles r on r.oid = s.launcher
   where s.task_id = p_task;
  if not found then
    refused := 'it was not launched with berth.launch';
  elsif exists (select from berth_private.task_history h where h.task_id = p_task and h.final) then
    refused := 'it has ended before: whoever made it live again did not use berth.retry';
  elsif v_task.rolname is null then
    refused := 'the role that launched it is gone';
  elsif v_task.rolsuper then
    refused := format('the role that launched it, %s, is a superuser now', v_task.rolname);
  elsif berth_private.run_as(v_task.launcher) is null then
    refused := format('the role that launched it, %s, may not launch any more', v_task.rolname);
  end if;
  launcher := v_task.rolname;
  if refused is null then
    -- A worker that freezes with the lock loses it.
    perform pg_catalog.set_config('idle_in_transaction_session_timeout', '15s', true);
    perform from berth_private.sql_door for update;
    free := berth_private.free_connections();
  end if;
end $$;

-- The second step: the backend with this number may run the task. call: the function to call there. direct: it is logged
-- in as the launcher. left_behind: a backend that still runs an earlier attempt, whose worker died.
create function berth.admit_sql(
  p_task uuid, p_token bigint, p_pid integer, p_proofs uuid[],
  out refused text, out call text, out direct boolean, out in_transaction boolean, out statement text,
  out search_path text, out timeout_ms bigint, out left_behind integer, out proof uuid
) language plpgsql
  set lock_timeout = '5s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_backend record;
  v_task    berth_private.sql_task;
begin
  perform berth_private.check_runs_in(p_task, p_token, p_proofs);
  select a.usesysid, a.usename, berth_private.runner_fault(a.usesysid) as fault into v_backend
    from pg_catalog.pg_stat_activity a where a.pid = p_pid and a.datname = current_database();
  if not found then
    refused := format('this database has no backend %s: the runner must connect to it straight, not through a pooler', p_pid);
    return;
  end if;
  select * into v_task from berth_private.sql_task s where s.task_id = p_task;
  direct := v_backend.usesysid = v_task.launcher;
  if not direct and v_backend.fault is not null then
    refused := format('role %s cannot be the runner, it %s', v_backend.usename, v_backend.fault);
    return;
  end if;
  -- No other SQL task has had this number since, or its ticket would be gone.
  select k.pid into left_behind
    from berth_private.sql_ticket k
    join pg_catalog.pg_stat_activity a on a.pid = k.pid and a.usesysid = v_backend.usesysid
   where k.task_id = p_task and k.pid <> p_pid;
  delete from berth_private.sql_ticket k where k.pid = p_pid or k.task_id = p_task;
  proof := gen_random_uuid();
  insert into berth_private.sql_ticket (pid, task_id, token, proof) values (p_pid, p_task, p_token, proof);
  call := case when direct then 'berth.run_ticket' else berth_private.run_as(v_task.launcher) end;
  in_transaction := v_task.in_transaction;
  statement := v_task.statement;
  search_path := v_task.search_path;
  timeout_ms := extract(epoch from v_task.timeout) * 1000;
end $$;

-- What this backend may run as the role in force.
create view berth.ticket with (security_barrier) as
  select s.task_id, s.statement, s.search_path
    from berth_private.sql_ticket k
    join berth_private.task t on t.id = k.task_id and t.token = k.token
    join berth_private.sql_task s on s.task_id = k.task_id
   where k.pid = pg_catalog.pg_backend_pid()
     and s.launcher = (select r.oid from pg_catalog.pg_roles r where r.rolname = current_user);

-- Runs the statement of the ticket, with the rights of the caller. Returns how many rows it returned or changed, and the
-- first of those it returned. Triggers and cursors that wait for the commit are ended here, where the rights are right: the
-- commit is the runner's, who may end the backends of all other tasks. Once the path is that of the launch, operators and
-- functions are named with their schema: others may have put some in its way.
create function berth.run_ticket(out rows bigint, out result text) language plpgsql
  set search_path = pg_catalog, pg_temp as $$
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
  perform pg_catalog.set_config('search_path', v_ticket.search_path, true);
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
      rows := rows operator(pg_catalog.+) 1;
      if pg_catalog.pg_column_size(v_row) operator(pg_catalog.<) 16000 then
        v_first := pg_catalog.array_append(v_first, pg_catalog.to_jsonb(v_row)::pg_catalog.text);
        v_size := v_size operator(pg_catalog.+) pg_catalog.length(v_first[pg_catalog.cardinality(v_first)]);
      else
        v_size := 16001;
      end if;
      if v_size operator(pg_catalog.>) 16000 then
        v_first := v_first[: pg_catalog.cardinality(v_first) operator(pg_catalog.-) 1];
      end if;
      if v_size operator(pg_catalog.>) 16000 or rows operator(pg_catalog.=) 100 then
        move forward all in v_cursor;
        get diagnostics v_rest = row_count;
        rows := rows operator(pg_catalog.+) v_rest;
        exit;
      end if;
    end loop;
    result := pg_catalog.concat('[', pg_catalog.array_to_string(v_first, ', '), ']');
  else
    execute v_ticket.statement;
    get diagnostics rows = row_count;
  end if;
  set constraints all immediate;
  -- A trigger may have deferred others again. They run now, and can defer nothing more, for they can write nothing but
  -- temporary tables. At the end of this block the transaction may write again, which PostgreSQL sees to.
  begin
    perform pg_catalog.set_config('transaction_read_only', 'on', true);
    set constraints all immediate;
  exception when read_only_sql_transaction then
    raise exception 'A trigger deferred another one that writes: in a SQL task it cannot wait until the commit'
      using errcode = 'read_only_sql_transaction';
  end;
  if exists (select from pg_catalog.pg_trigger g join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) g.tgrelid
              where c.relnamespace operator(pg_catalog.=) pg_catalog.pg_my_temp_schema() and g.tgdeferrable) then
    raise exception 'A SQL task cannot have deferrable triggers or constraints on a temporary table'
      using errcode = 'feature_not_supported';
  end if;
  execute 'close all';
end $$;

-- The last statement of the transaction: the task of this backend has finished. False: it belongs to others by now, and
-- the caller must roll back. After it the transaction writes no more, whatever may still run in its commit. Who has locked
-- the task is not waited for without end: the caller rolls back then too.
create function berth.finish_sql(p_proof uuid, p_rows bigint, p_result jsonb) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set lock_timeout = '5s' as $$
declare
  v_ticket  berth_private.sql_ticket;
  v_session record;
  v_written record;
  v_held    berth_private.slots_held[];
begin
  select * into v_ticket from berth_private.sql_ticket k where k.pid = pg_backend_pid() and k.proof = p_proof;
  if not found then
    return false;
  end if;
  if p_rows is null or p_rows < 0 or jsonb_typeof(p_result) <> 'array'
     or jsonb_path_exists(p_result, '$[*] ? (@.type() != "object")') then
    raise exception 'The result of a SQL task is a number of rows, and null or an array of objects'
      using errcode = 'invalid_parameter_value';
  end if;
  -- Locked against an expiry in the middle of this, as in begin_exchange.
  select s.id, s.worker, s.expires_at into v_session
    from berth_private.task t join berth_private.session s on s.id = t.session_id
   where t.id = v_ticket.task_id and t.token = v_ticket.token for key share of s;
  if not found or v_session.expires_at <= berth_private.now() then
    return false;
  end if;
  v_written := berth_private.write_outcomes(
    v_session.id, v_session.worker, berth_private.now(), array[v_ticket.task_id], array[v_ticket.token],
    array['finished'], array[format('{"rows": %s, "result": %s}', p_rows, coalesce(p_result::text, 'null'))], array[0]);
  if v_written.stale is not null then
    return false;
  end if;
  v_held := array(select h from unnest(v_written.freed) as f cross join lateral unnest(f.held) as h);
  if v_held <> '{}' then
    -- Tasks of one launcher end at the same time, and the last one takes the row of their key with it.
    perform berth_private.lock_groups(array(select h.key from unnest(v_held) as h));
    perform berth_private.give_back(v_held);
    perform berth_private.wake_waiting(array(select distinct h.key from unnest(v_held) as h));
  end if;
  delete from berth_private.sql_ticket k where k.pid = v_ticket.pid;
  perform set_config('transaction_read_only', 'on', true);
  return true;
end $$;

-- A failed attempt: after how many milliseconds it is tried again, null: not at all. The strictest topic decides.
-- p_lost: the connection broke, which is no fault of the statement as a rule; so it may be tried some times in any case.
create function berth.retry_sql(p_task uuid, p_token bigint, p_lost boolean, p_proofs uuid[]) returns bigint language plpgsql
  set lock_timeout = '5s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_failures integer;
  v_most     integer;
begin
  if not berth_private.runs_in(p_task, p_token, p_proofs) then
    return null;
  end if;
  delete from berth_private.sql_ticket k where k.task_id = p_task and k.token = p_token;
  select t.failures + 1, berth_private.retries_under(s.topics) into v_failures, v_most
    from berth_private.task t join berth_private.sql_task s on s.task_id = t.id
   where t.id = p_task and t.token = p_token;
  return case when v_failures <= greatest(v_most, case when p_lost then 5 end)
              then extract(epoch from berth_private.sql_retry_delay(v_failures)) * 1000 end;
end $$;
