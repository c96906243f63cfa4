-- Grants are data, so that they outlive the functions, which a migration replaces.

-- Gives a role what its row in role_grant says, or takes it away.
create function berth_private.give(p_role oid, p_what text, p_give boolean) returns void language plpgsql as $$
declare
  v_role  text := quote_ident((select r.rolname from pg_roles r where r.oid = p_role));
  -- of a pattern: a percent sign stands for itself
  v_how   text := case when p_give then 'grant %s on %s to ' else 'revoke %s on %s from ' end || replace(v_role, '%', '%%');
  v_entry record;
  v_view  text;
begin
  if v_role is null then  -- it was dropped
    return;
  end if;
  if p_give then
    execute format(v_how, 'usage', 'schema berth');
  end if;
  for v_entry in
    select e.kind, p.oid::regprocedure::text as function, e.name
      from berth_private.entry_points() e
      left join pg_proc p on e.kind = 'function' and p.proname = e.name and p.pronamespace = 'berth'::regnamespace
     where e.what = p_what
    union
    select 'function', 'berth.applied_migrations()', null
  loop
    if v_entry.kind = 'view' then
      execute format(v_how, 'select', format('berth.%I', v_entry.name));
    else
      execute format(v_how, 'execute', 'function ' || v_entry.function);
    end if;
  end loop;
  -- The columns with the caller are nobody's to name.
  case p_what
    when 'submit' then
      foreach v_view in array array['submitting', 'submitting_batch', 'submitting_one', 'naming_paces'] loop
        execute format(v_how, 'select, ' || berth_private.insertable(v_view, 'caller'), 'berth.' || v_view);
      end loop;
    when 'work' then
      execute format(v_how, 'select, ' || berth_private.insertable('naming_paces', 'caller'), 'berth.naming_paces');
    when 'launch' then
      execute format(v_how, 'select, ' || berth_private.insertable('launching', 'launcher'), 'berth.launching');
    else
      null;
  end case;
end $$;

-- The right to insert into all columns of a view but this one.
create function berth_private.insertable(p_view text, p_but text) returns text language sql stable as $$
  select format('insert (%s)', string_agg(quote_ident(a.attname), ', ' order by a.attnum))
    from pg_attribute a
   where a.attrelid = format('berth.%I', p_view)::regclass and a.attnum > 0 and a.attname <> p_but
$$;

create function berth_private.role_named(p_name text) returns oid language plpgsql stable as $$
declare
  v_role oid := (select r.oid from pg_roles r where r.rolname = p_name);
begin
  if v_role is null then
    raise exception 'There is no role %', p_name using errcode = 'undefined_object';
  end if;
  return v_role;
end $$;

create function berth_private.allow(p_role text, p_what text, p_types text[], p_queues text[]) returns void language plpgsql as $$
declare
  v_role oid := berth_private.role_named(p_role);
begin
  insert into berth_private.role_grant as g (role, what, types, queues) values (v_role, p_what, p_types, p_queues)
  on conflict (role, what) do update set types = excluded.types, queues = excluded.queues;
  perform berth_private.give(v_role, p_what, true);
end $$;

-- Takes one grant back; what is in another one as well stays.
create function berth_private.forbid(p_role text, p_what text) returns void language plpgsql as $$
declare
  v_role oid := berth_private.role_named(p_role);
begin
  delete from berth_private.role_grant g where g.role = v_role and g.what = p_what;
  if not found then
    raise exception 'Role % may not % anyway', p_role, p_what using errcode = 'invalid_parameter_value';
  end if;
  perform berth_private.give(v_role, p_what, false);
  perform berth_private.give(g.role, g.what, true) from berth_private.role_grant g where g.role = v_role;
  if not exists (select from berth_private.role_grant g where g.role = v_role) then
    execute format('revoke usage on schema berth from %I', p_role);
  end if;
end $$;

-- From whoever got it when functions and views were made. A run_as_N is its launcher's, who gave it to the runner.
create function berth_private.revoke_all() returns void language plpgsql as $$
declare
  v_right record;
begin
  for v_right in
    select distinct 'routine ' || p.oid::regprocedure as what, quote_ident(r.rolname) as grantee
      from pg_proc p cross join lateral aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
     where p.pronamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) and a.grantee <> p.proowner
       and p.proname !~ '^run_as_[0-9]+$'
    union all
    select distinct format('%I.%I', c.relnamespace::regnamespace::name, c.relname),
           case when a.grantee = 0 then 'public' else (select quote_ident(r.rolname) from pg_roles r where r.oid = a.grantee) end
      from pg_class c cross join lateral aclexplode(c.relacl) a
     where c.relnamespace in ('berth'::regnamespace, 'berth_private'::regnamespace) and c.relkind in ('r', 'p', 'v', 'S')
       and a.grantee <> c.relowner
    union all
    select distinct 'schema ' || quote_ident(n.nspname),
           case when a.grantee = 0 then 'public' else (select quote_ident(r.rolname) from pg_roles r where r.oid = a.grantee) end
      from pg_namespace n cross join lateral aclexplode(n.nspacl) a
     where n.nspname in ('berth', 'berth_private') and a.grantee <> n.nspowner
  loop
    execute format('revoke all on %s from %s', v_right.what, v_right.grantee);
  end loop;
end $$;

-- After functions were replaced.
create function berth_private.give_all() returns void language plpgsql as $$
begin
  perform berth_private.give(g.role, g.what, true) from berth_private.role_grant g;
end $$;
