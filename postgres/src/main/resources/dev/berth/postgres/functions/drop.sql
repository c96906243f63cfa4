-- Drops all functions and views, but for run_as_N, which belong to launchers. Nothing is dropped that others made: where
-- their views depend on ours, this fails and names them.
do $$
declare
  v_all    text;
  v_others text;
begin
  for v_all in
    select format('%I on berth_private.%I', t.tgname, c.relname)
      from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
     where t.tgname in ('task_limit_log', 'check_row') and c.relnamespace = 'berth_private'::regnamespace
  loop
    execute 'drop trigger ' || v_all;
  end loop;
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ') into v_all
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('berth', 'berth_private') and c.relkind = 'v';
  if v_all is not null then
    execute 'drop view ' || v_all;
  end if;
  select string_agg(p.oid::regprocedure::text, ', ') into v_all
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
   where n.nspname in ('berth', 'berth_private') and p.proname !~ '^run_as_[0-9]+$';
  if v_all is not null then
    execute 'drop routine ' || v_all;
  end if;
exception when dependent_objects_still_exist then
  get stacked diagnostics v_others = pg_exception_detail;
  raise exception 'What others made depends on views or functions of Berth: drop it, migrate, and make it again (%)',
    replace(v_others, E'\n', ', ') using errcode = 'dependent_objects_still_exist';
end $$;
