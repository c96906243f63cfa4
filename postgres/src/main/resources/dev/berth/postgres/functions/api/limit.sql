-- p_for: after which time the code counts again; null: once it is reset.
create function berth.set_limit(p_key text, p_slots integer, p_for interval default null) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_any_key('limit', p_key);
  perform berth_private.check_slots(p_key, p_slots);
  if p_for is not null then
    perform berth_private.check_positive_span('The time for which the limit ' || p_key || ' is set', p_for);
  end if;
  if p_for is null and exists (select from berth_private.task_limit l
                                where l.key = p_key and l.override_slots = p_slots and l.override_until is null) then
    return 'unchanged';
  end if;
  perform berth_private.put_type_under(p_key, p_slots);
  perform berth_private.lock_groups(array[p_key]);
  insert into berth_private.task_limit as l (key, override_slots, override_until)
    values (p_key, p_slots, berth_private.now() + p_for)
  on conflict (key) do update set override_slots = excluded.override_slots, override_until = excluded.override_until;
  perform berth_private.change_limit(p_key);
  return 'done';
end $$;

-- The number of the code, or of the submit, counts again. A pace that a submit said is gone, until another one says it.
create function berth.reset_limit(p_key text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_done text := berth_private.unset_limit(p_key);
begin
  update berth_private.task_limit l set pace = null, next_start_at = null
   where l.key = p_key and l.pace is not null and l.code_slots is null;
  if not found then
    return v_done;
  end if;
  perform berth_private.change_limit(p_key);
  return 'done';
end $$;

create function berth.pause_limit(p_key text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_any_key('limit', p_key);
  if exists (select from berth_private.task_limit l where l.key = p_key and l.paused) then
    return 'unchanged';
  end if;
  perform berth_private.put_type_under(p_key, 1000000);
  insert into berth_private.task_limit as l (key, paused) values (p_key, true)
  on conflict (key) do update set paused = true;
  return 'done';
end $$;

create function berth.resume_limit(p_key text) returns text language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  update berth_private.task_limit l set paused = false where l.key = p_key and l.paused;
  if not found then
    return 'unchanged';
  end if;
  perform berth_private.change_limit(p_key);
  return 'done';
end $$;

-- What put_type_under does to tasks that do not run, a part of them at a time: those among the next p_size tasks after this
-- one. Returns from where to go on, null at the end. With each call in a transaction of its own, and put_type_under after
-- them for what came meanwhile, hundreds of thousands of tasks can be claimed all the while. A limit without a number does
-- not limit: for tasks that are put under it nothing changes until it gets one.
create function berth.put_some_under(p_key text, p_slots integer, p_after uuid, p_size integer) returns uuid language plpgsql
  set enable_seqscan = off set jit = off
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_type text := berth_private.unescaped(split_part(p_key, '/', 2));
  v_next record;
  v_ids  uuid[];
begin
  perform berth_private.check_any_key('limit', p_key);
  perform berth_private.check_slots(p_key, p_slots);
  if not berth_private.is_own(p_key) then
    return null;
  end if;
  if p_after is null then
    perform berth_private.keep_said(p_key, berth_private.said_of_own(p_key));
    perform berth_private.settle_limit(p_key);
  end if;
  select array_agg(t.id) filter (where t.type = v_type) as ids, (array_agg(t.id order by t.id desc))[1] as last, count(*) as count
    into v_next
    from (select n.id, n.type from berth_private.task n
           where n.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') order by n.id limit p_size) t;
  v_ids := array(
    select t.id from berth_private.task t
     where t.id = any (v_next.ids) and t.state::text <> 'running' and (t.limits is null or p_key <> all (t.limits))
       for update skip locked);
  perform berth_private.put_under(v_ids, p_key, p_slots);
  return case when v_next.count = p_size then v_next.last end;
end $$;

-- Whether tasks of this queue, or under this limit or rule, stand by, or an exchange is under way that began before p_since.
-- After a change that is to hold tasks back this is true for some more moments, in which they may start.
create function berth.stand_by(p_queue text, p_key text, p_since timestamptz) returns boolean language plpgsql
  set enable_seqscan = off set jit = off
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
           select from pg_stat_activity a
            where a.datname = current_database() and a.pid <> pg_backend_pid() and a.state = 'active'
              and a.xact_start < p_since and position('berth.exchange(' in a.query) > 0)
      or exists (
           select from berth_private.task t
            where t.session_id is not null and t.state = 'running' and t.standby
              and (t.queue = p_queue
                   or exists (select from unnest(t.limits) as l (key) where p_key in (l.key, berth_private.rule_of(l.key)))));
end $$;
