-- Submits tasks of a schedule whose row is locked. submitted: how many are new. full: the quota that kept some out, which
-- is that of the type. skipped: an earlier task is alive.
-- Older tasks are locked together, before any count of a quota: see the order of locks there.
create function berth_private.submit_scheduled(
  p_schedule berth_private.schedule, p_ids uuid[], p_times timestamptz[], p_catching_up boolean,
  out skipped boolean, out submitted integer, out "full" text
) language plpgsql as $$
declare
  v_key     text := berth_private.schedule_key(p_schedule.name);
  v_count   integer := cardinality(p_ids);
  v_older   uuid[];
  v_written record;
begin
  skipped := not p_catching_up and p_schedule.overlap = 'skip'
             and exists (select from berth_private.quota_task q where q.key = v_key);
  submitted := 0;
  if skipped then
    return;
  end if;
  if p_schedule.overlap = 'cancel_older' and not p_catching_up then
    v_older := array(select t.id from berth_private.task t
                      where t.id in (select q.task_id from berth_private.quota_task q where q.key = v_key) and t.id <> all (p_ids)
                      order by t.id for update);
    perform berth_private.cancel_task(t.id, 'cancelled for task ' || p_ids[1])
       from berth_private.task t where t.id = any (v_older) and not t.cancel_requested;
  end if;
  v_written := berth_private.submit_tasks(
    p_ids, array_fill(p_schedule.type, array[v_count]), array_fill(p_schedule.queue, array[v_count]),
    array_fill(p_schedule.priority, array[v_count]), array_fill(null::timestamptz, array[v_count]),
    array_fill(0::bigint, array[v_count]), array_fill(p_schedule.payload, array[v_count]),
    array(select (coalesce(berth_private.pairs(p_schedule.metadata), '{}')
                  || array['berth.schedule', p_schedule.name, 'berth.occurrence', berth_private.iso_time(t.time)])::text
            from unnest(p_times) with ordinality as t (time, number) order by t.number),
    array_fill(p_schedule.lane, array[v_count]), array_fill(p_schedule.limits::text, array[v_count]),
    array_fill(p_schedule.weights::text, array[v_count]), array_fill(p_schedule.said_slots::text, array[v_count]),
    true, array_fill(p_schedule.quotas::text, array[v_count]), array_fill(p_schedule.quota_mosts::text, array[v_count]),
    array_fill(p_schedule.when_full::text, array[v_count]), null, null, null, true);
  "full" := v_written.full_keys[1];
  submitted := v_count - coalesce(cardinality(v_written.existing), 0) - coalesce(cardinality(v_written.full_ids), 0);
  if submitted > 0 then
    perform berth_private.wake_ready(p_schedule.queue, -2, transaction_timestamp() + (select shift from berth_private.clock));
  end if;
end $$;
