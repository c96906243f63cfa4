create function berth_private.take_launch() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  v_launcher record;
  v_limits   jsonb;
  v_before   record;
begin
  select r.oid, r.rolname, r.rolsuper into v_launcher from pg_roles r where r.rolname = new.launcher;
  if v_launcher.rolsuper then
    raise exception 'Role % is a superuser, who cannot launch SQL tasks: set role to another one before', new.launcher
      using errcode = 'insufficient_privilege';
  elsif berth_private.run_as(v_launcher.oid) is null then
    raise exception 'Role % may not launch SQL tasks: an administrator allows it with select berth.allow_launch(%)',
      new.launcher, quote_literal(new.launcher) using errcode = 'insufficient_privilege';
  end if;
  perform berth_private.check_launch(new.statement, new.topics, new.search_path);
  new.timeout := coalesce(new.timeout, (select d.timeout from berth_private.sql_door d));
  perform berth_private.check_sql_timeout(new.timeout);
  new.id := coalesce(new.id, berth_private.new_id());
  new.search_path := coalesce(new.search_path, '"$user", public');
  new.topics := array(select distinct t from unnest(new.topics) as t order by t);
  v_limits := berth_private.sql_limits(new.launcher) || coalesce(
    (select jsonb_object_agg(berth_private.topic_key(t), s.max_parallel)
       from unnest(new.topics) as t cross join lateral berth_private.topic_settings(t) s), '{}');

  -- An id of the caller's own: the same again is no second task; another one, or somebody else's, is an error.
  select s.statement, s.topics, s.in_transaction into v_before
    from berth_private.sql_task s where s.task_id = new.id and s.launcher = v_launcher.oid;
  if found then
    if (v_before.statement, v_before.topics, v_before.in_transaction)
       is distinct from (new.statement, new.topics, coalesce(new.in_transaction, true)) then
      raise exception 'The id % belongs to a SQL task with another statement, other topics or another transaction', new.id
        using errcode = 'unique_violation';
    end if;
    return new;
  elsif exists (select from berth_private.task t where t.id = new.id) then
    raise exception 'The id % is that of another task', new.id using errcode = 'unique_violation';
  end if;
  perform berth_private.submit_task('berth.sql', to_jsonb(new.launcher::text), coalesce(new.queue, 'sql'),
    coalesce(new.priority, 5), new.due_at, new.id, null, null, v_limits, null);
  insert into berth_private.sql_task (task_id, launcher, statement, topics, in_transaction, timeout, search_path)
  select new.id, v_launcher.oid, new.statement, new.topics, coalesce(new.in_transaction, true), new.timeout, new.search_path
    from berth_private.task t where t.id = new.id and t.type = 'berth.sql'
  on conflict (task_id) do nothing;
  if not found then
    raise exception 'The id % is that of another task', new.id using errcode = 'unique_violation';
  end if;
  return new;
end $$;
