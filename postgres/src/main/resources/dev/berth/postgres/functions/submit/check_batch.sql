-- Most lanes can be told to be right at a glance: one or two short keys of plain letters, one slot of each,
-- those of types of its own type. Arrays are written with quotes around all their parts, or none.
create function berth_private.is_plain_lane(
  p_type text, p_lane text, p_limits text, p_weights text, p_said_slots text
) returns boolean language sql immutable as $$
  select octet_length(p_lane) < 400
         and (p_lane like 'limit/%' or split_part(split_part(p_lane, ' ', 1), '/', 2) = p_type)
         and split_part(split_part(p_lane, ' ', 2), '/', 2) in ('', p_type)
         and p_limits in ('{"' || replace(p_lane, ' ', '","') || '"}', '{' || translate(p_lane, ' ', ',') || '}')
         and case
               when p_weights in ('{"1"}', '{1}') then p_said_slots ~ '^{("\d{1,6}"|\d{1,6})}$'
                 and p_lane ~ '^(limit|type)/[-.:@0-9A-Za-z_]+(/[-.:@0-9A-Za-z_]+/[-.:@0-9A-Za-z_]+)?$' and p_lane !~ '^limit/.*/'
               when p_weights in ('{"1","1"}', '{1,1}')
                 then p_said_slots ~ '^{("\d{1,6}","\d{1,6}"|\d{1,6},\d{1,6})}$'
                 and p_lane ~ '^(limit|type)/[-.:@0-9A-Za-z_]+ type/[-.:@0-9A-Za-z_]+(/[-.:@0-9A-Za-z_]+/[-.:@0-9A-Za-z_]+)?$'
               else false end
$$;

-- Refuses a batch with tasks that no worker could read or no index keep. What many tasks have in common is looked at once.
create function berth_private.check_batch(
  p_types text[], p_queues text[], p_due_ats timestamptz[], p_delays bigint[], p_metadata text[], p_lanes text[],
  p_limits text[], p_weights text[], p_said_slots text[], p_quotas text[], p_mosts text[], p_when_full text[],
  p_workflows text[], p_steps text[], p_on_failure text[]
) returns void language plpgsql immutable as $$
begin
  perform berth_private.check_names('task type', p_types);
  perform berth_private.check_names('queue', p_queues);
  perform berth_private.check_due(max(d.at)) from unnest(p_due_ats) as d (at);
  perform berth_private.check_delay('The delay of a task', d.delay) from (select distinct unnest(p_delays)) as d (delay);
  perform berth_private.check_pairs(m.pairs::text[]) from unnest(p_metadata) as m (pairs) where m.pairs is not null;
  perform berth_private.check_lane(
            l.type, l.queue, l.lane, l.limits::text[], l.weights::integer[], l.said_slots::integer[])
     from (select distinct s.type, s.queue, s.lane, s.limits, s.weights, s.said_slots
             from unnest(p_types, p_queues, p_lanes, p_limits, p_weights, p_said_slots)
               as s (type, queue, lane, limits, weights, said_slots)
            where num_nonnulls(s.lane, s.limits, s.weights, s.said_slots) > 0
              and berth_private.is_plain_lane(s.type, s.lane, s.limits, s.weights, s.said_slots) is not true) l;
  if num_nonnulls(p_quotas, p_mosts, p_when_full) > 0 then
    perform berth_private.check_quota_keys(q.type, q.keys::text[]) from unnest(p_types, p_quotas) as q (type, keys);
    perform berth_private.check_key('quota', k.key)
       from (select distinct unnest(q.keys::text[]) from unnest(p_quotas) as q (keys)) as k (key);
    perform berth_private.check_quotas(q.keys::text[], q.mosts::integer[], q.when_full::text[])
       from (select distinct * from unnest(p_quotas, p_mosts, p_when_full)) as q (keys, mosts, when_full);
  end if;
  if num_nonnulls(p_workflows, p_steps, p_on_failure) > 0 then
    perform berth_private.check_step(s.workflow, s.step, s.on_failure)
       from unnest(p_workflows, p_steps, p_on_failure) as s (workflow, step, on_failure)
      where num_nonnulls(s.workflow, s.step, s.on_failure) > 0;
  end if;
end $$;
