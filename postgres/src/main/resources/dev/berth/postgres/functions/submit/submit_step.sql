-- Submit a step from SQL: it runs when all steps before it have ended. A step that is there already, or has run, stays
-- as it is.
create function berth_private.submit_step(
  workflow text, step text, type text, payload jsonb, queue text, priority integer, due_at timestamptz, metadata jsonb,
  limits jsonb, on_failure text, quotas jsonb
) returns uuid language plpgsql as $$
declare
  v_id    uuid := berth_private.step_id(submit_step.workflow, submit_step.step);
  v_lane  record;
  v_quotas record;
  v_batch record;
begin
  perform berth_private.check_step(submit_step.workflow, submit_step.step, submit_step.on_failure);
  perform berth_private.check_submit(
    submit_step.type, submit_step.payload, submit_step.queue, submit_step.priority, submit_step.due_at, submit_step.metadata);
  v_lane := berth_private.sql_lane(submit_step.type, submit_step.limits);
  perform berth_private.check_lane_bytes(submit_step.type, submit_step.queue, v_lane.lane);
  v_quotas := berth_private.read_quotas(submit_step.type, submit_step.quotas);
  perform berth_private.check_quota_keys(submit_step.type, v_quotas.keys);
  v_batch := berth_private.submit_tasks(
    array[v_id], array[submit_step.type], array[submit_step.queue], array[submit_step.priority::smallint],
    array[submit_step.due_at], array[0::bigint], array[submit_step.payload::text],
    array[berth_private.pairs(submit_step.metadata)::text], array[v_lane.lane], array[v_lane.limits::text],
    array[v_lane.weights::text], array[v_lane.said_slots::text], true,
    case when v_quotas.keys is not null then array[v_quotas.keys::text] end,
    case when v_quotas.keys is not null then array[v_quotas.mosts::text] end,
    case when v_quotas.keys is not null then array[v_quotas.when_full::text] end,
    array[submit_step.workflow], array[submit_step.step], array[submit_step.on_failure], false);
  if v_batch.full_ids is not null then
    return berth_private.instead(
      v_batch.full_keys[1], v_batch.full_tasks[1], v_quotas.keys, v_quotas.mosts, v_quotas.when_full);
  end if;
  if coalesce(cardinality(v_batch.existing), 0) = 0 then
    perform pg_notify('berth', 'step ' || v_batch.position || ' ' || submit_step.queue);
  end if;
  return v_id;
end $$;
