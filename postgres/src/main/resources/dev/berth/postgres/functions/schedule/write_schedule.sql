create function berth_private.schedule_key(p_name text) returns text language sql immutable as $$
  select 'schedule/' || replace(replace(p_name, '%', '%25'), '/', '%2F')
$$;

-- Makes a schedule or changes it; what is submitted has its key already. Answers 'done' or 'unchanged'.
-- Where the times are those from before, what is due stays due.
create function berth_private.write_schedule(
  p_name text, p_cron text, p_zone text, p_every bigint, p_missed text, p_overlap text, p_type text, p_queue text,
  p_priority smallint, p_payload text, p_metadata jsonb, p_limits text[], p_weights integer[], p_said_slots integer[],
  p_quotas text[], p_mosts integer[], p_when_full text[]
) returns text language plpgsql as $$
declare
  v_now  timestamptz := date_trunc('milliseconds', berth_private.now());
  v_lane record := berth_private.lane_of(p_limits, p_weights, p_said_slots);
begin
  perform berth_private.check_name('schedule', p_name);
  perform berth_private.check_submit(p_type, to_jsonb(p_payload), p_queue, p_priority, null, p_metadata);
  perform berth_private.check_any_key('limit', l.key), berth_private.check_weight(l.key, l.weight),
          berth_private.check_slots(l.key, l.slots)
     from unnest(p_limits, p_weights, p_said_slots) as l (key, weight, slots);
  perform berth_private.check_lane_bytes(p_type, p_queue, v_lane.lane);
  perform berth_private.check_quotas(p_quotas, p_mosts, p_when_full);
  perform berth_private.check_quota_keys(p_type, p_quotas);
  if p_every not between 100 and 3153600000000 then
    raise exception 'Schedule %: it cannot run every % ms: use a time from 100 ms to 36500 days', p_name, p_every
      using errcode = 'invalid_parameter_value';
  end if;
  perform berth_private.check_sizes('payload', array[p_type], array[p_payload::text]);
  perform berth_private.check_sizes('metadata', array[p_type], array[p_metadata::text]);
  insert into berth_private.schedule as s (
    name, cron, zone, every, missed, overlap, anchor, since, next_at, type, queue, priority, payload, metadata, lane, limits,
    weights, said_slots, quotas, quota_mosts, when_full)
  values (p_name, p_cron, p_zone, p_every, p_missed, p_overlap, v_now, v_now, '-infinity', p_type, p_queue, p_priority,
          p_payload, p_metadata, v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots, p_quotas, p_mosts, p_when_full)
  on conflict (name) do update
     set (cron, zone, every, missed, overlap, type, queue, priority, payload, metadata, lane, limits, weights, said_slots,
          quotas, quota_mosts, when_full)
           = (excluded.cron, excluded.zone, excluded.every, excluded.missed, excluded.overlap, excluded.type, excluded.queue,
              excluded.priority, excluded.payload, excluded.metadata, excluded.lane, excluded.limits, excluded.weights,
              excluded.said_slots, excluded.quotas, excluded.quota_mosts, excluded.when_full),
         (anchor, since, next_at, error)
           = (select case when d.times then excluded.anchor else s.anchor end,
                     case when d.times or s.error is not null then excluded.since else s.since end,
                     case when d.times or s.next_at is null then '-infinity' else s.next_at end,
                     null::text
                from (select (s.cron, s.zone, s.every) is distinct
                  from (excluded.cron, excluded.zone, excluded.every) as times) d),
         version = excluded.version
   where s.error is not null
      or (s.cron, s.zone, s.every, s.missed, s.overlap, s.type, s.queue, s.priority, s.payload, s.metadata, s.lane, s.said_slots,
          s.quotas, s.quota_mosts, s.when_full)
         is distinct from
         (excluded.cron, excluded.zone, excluded.every, excluded.missed, excluded.overlap, excluded.type, excluded.queue,
          excluded.priority, excluded.payload, excluded.metadata, excluded.lane, excluded.said_slots, excluded.quotas,
          excluded.quota_mosts, excluded.when_full);
  if not found then
    return 'unchanged';
  end if;
  perform berth_private.wake_sweep(p_queue);
  return 'done';
end $$;

create function berth_private.schedule_answer(p_name text, p_changed boolean) returns text language sql stable as $$
  select case when p_changed then 'done'
              when exists (select from berth_private.schedule s where s.name = p_name) then 'unchanged' else 'unknown' end
$$;
