-- The same tasks one by one, where one of them cannot be moved: that one has failed.
create function berth_private.promote_each(p_ids uuid[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_id uuid;
begin
  foreach v_id in array p_ids loop
    begin
      update berth_private.task t set state = 'ready', position = p_now where t.id = v_id;
      perform berth_private.wake_ready(t.queue, t.priority, p_now) from berth_private.task t where t.id = v_id;
    exception
      when lock_not_available or transaction_rollback or insufficient_resources or operator_intervention then
        raise;  -- nothing is wrong with the task
      when others then
        perform berth_private.fail_task(v_id, 'the task was due and could not be made ready: ' || sqlerrm);
    end;
  end loop;
end $$;

-- Moves due tasks into the claim index, in due order. p_floor is the floor the last call returned; null looks from the
-- start, which finds tasks whose submit committed after their due time.
create function berth_private.promote(
  p_floor timestamptz default null, p_size integer default 1000,
  out promoted integer, out floor timestamptz, out next_due timestamptz
) language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now    timestamptz := berth_private.now();
  v_floor  timestamptz := coalesce(p_floor, '-infinity');
  v_ctids  tid[];
  v_ids    uuid[];
  v_last   timestamptz;
  v_woken  integer;
begin
  select array_agg(l.ctid order by l.due_at, l.id), array_agg(l.id order by l.due_at, l.id), max(l.due_at)
    into v_ctids, v_ids, v_last
    from (select t.ctid, t.due_at, t.id from berth_private.task t
           where t.state = 'waiting' and t.due_at <= v_now and t.due_at >= v_floor
           order by t.due_at, t.id limit p_size for update skip locked) l;
  promoted := coalesce(cardinality(v_ctids), 0);

  if promoted > 0 then
    begin
      with moved as (
        update berth_private.task t
           set state = 'ready', position = v_now - (promoted - d.number) * interval '1 microsecond'
          from unnest(v_ctids) with ordinality as d (ctid, number)
         where t.ctid = d.ctid
        returning t.queue, t.priority)
      select count(berth_private.wake_ready(m.queue, m.priority, v_now - promoted * interval '1 microsecond')) into v_woken
        from (select distinct queue, priority from moved) m;
    exception when others then
      perform berth_private.promote_each(v_ids, v_now);
    end;
  end if;

  -- Never younger than 100 ms: work committed late would be hidden until the next look from the start.
  floor := least(case when promoted = p_size then v_last else v_now end, v_now - interval '100 milliseconds');
  select t.due_at into next_due from berth_private.task t
   where t.state = 'waiting' and t.due_at >= floor order by t.due_at limit 1;
end $$;
