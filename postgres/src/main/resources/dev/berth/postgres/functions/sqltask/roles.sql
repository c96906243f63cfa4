-- A function that runs as this role, if it may launch.
create function berth_private.run_as(p_launcher oid) returns text language sql stable as $$
  select format('berth.%I', p.proname) from pg_catalog.pg_proc p
   where p.pronamespace = 'berth'::regnamespace and p.proowner = p_launcher and p.proname ~ '^run_as_[0-9]+$'
   order by p.oid limit 1
$$;

-- Who may call a run_as_N is a runner, and finishes tasks. Again after functions were replaced.
create function berth_private.give_runners() returns void language plpgsql as $$
declare
  v_runner name;
begin
  for v_runner in
    select distinct r.rolname
      from pg_proc p cross join lateral aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
     where p.pronamespace = 'berth'::regnamespace and p.proname ~ '^run_as_[0-9]+$' and a.grantee <> p.proowner
       and a.grantor = p.proowner
  loop
    execute format('grant usage on schema berth to %I', v_runner);
    execute format('grant execute on function berth.finish_sql(uuid, bigint, jsonb) to %I', v_runner);
  end loop;
end $$;

-- Whether the task runs under this token in one of the sessions with these proofs.
create function berth_private.runs_in(p_task uuid, p_token bigint, p_proofs uuid[]) returns boolean language sql stable as $$
  select exists (
    select from berth_private.task t join berth_private.session s on s.id = t.session_id
     where t.id = p_task and t.token = p_token and s.proof = any (p_proofs))
$$;

create function berth_private.check_runs_in(p_task uuid, p_token bigint, p_proofs uuid[]) returns void language plpgsql as $$
begin
  if not berth_private.runs_in(p_task, p_token, p_proofs) then
    raise exception 'SQL task % does not run in a session of this store', p_task
      using errcode = 'object_not_in_prerequisite_state';
  end if;
end $$;

-- Why a role is not fit to be a runner; null if it is.
create function berth_private.runner_fault(p_role oid) returns text language sql stable as $$
  select case when r.rolsuper then 'is a superuser'
              when r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls then 'has attributes beyond LOGIN'
              when n.nspowner = r.oid then 'owns the schema berth'
              when m.roleid is not null then 'is a member of ' || m.roleid::regrole end
    from pg_catalog.pg_roles r
   cross join pg_catalog.pg_namespace n
    left join lateral (select a.roleid from pg_catalog.pg_auth_members a where a.member = r.oid limit 1) m on true
   where r.oid = p_role and n.nspname = 'berth'
$$;

-- How many connections others than superusers can still open. By columns that every role can read: of others' backends
-- the kind is hidden. Parallel workers are counted as well, so there may be some more.
create function berth_private.free_connections() returns integer language sql volatile as $$
  select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true), '0')::integer
         - (select count(*) from pg_catalog.pg_stat_activity a where a.datid is not null and a.usesysid is not null)::integer
$$;
