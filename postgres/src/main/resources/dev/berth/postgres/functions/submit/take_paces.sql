-- The pace that a submit names, or a worker that holds slots. It counts where nobody has said one, and no code knows the limit.
create function berth_private.take_paces() returns trigger language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from berth_private.role_grant g where g.what = 'work' and pg_has_role(new.caller, g.role, 'usage')) then
    perform berth_private.check_submitter(new.caller, '{}', '{}', array[new.keys::text], null, null, null);
  end if;
  perform berth_private.check_any_key('limit', k.key), berth_private.check_pace(k.key, k.pace)
     from unnest(new.keys, new.paces) as k (key, pace);
  insert into berth_private.task_limit as l (key, pace)
  select k.key, k.pace * interval '1 microsecond'
    from unnest(new.keys, new.paces) as k (key, pace)
    left join berth_private.task_limit known on known.key = k.key
   where known.pace is null and known.code_slots is null
   order by k.key
  on conflict (key) do update set pace = excluded.pace where l.pace is null and l.code_slots is null;
  return new;
end $$;
