-- A submit from SQL, one task.
create function berth_private.submit_task(
  type text, payload jsonb, queue text, priority integer, due_at timestamptz, id uuid, metadata jsonb, quotas jsonb, limits jsonb,
  name text
) returns uuid language plpgsql as $$
declare
  v_now    timestamptz := berth_private.now();
  v_id     uuid := coalesce(submit_task.id, berth_private.named_id(submit_task.type, submit_task.name), berth_private.new_id());
  v_own    boolean := submit_task.id is not null or submit_task.name is not null;
  v_there  boolean;
  v_lane   record;
  v_quotas record;
  v_done   record;
  v_payload text := submit_task.payload;
begin
  perform berth_private.check_submit(submit_task.type, submit_task.payload, submit_task.queue, submit_task.priority,
    submit_task.due_at, submit_task.metadata);
  perform berth_private.check_sizes('payload', array[submit_task.type], array[v_payload]);
  perform berth_private.check_sizes('metadata', array[submit_task.type], array[submit_task.metadata::text]);
  if submit_task.name is not null then
    perform berth_private.check_name('task', submit_task.name);
    if submit_task.id is not null then
      raise exception 'A task has an id or a name, which makes one, but not both' using errcode = 'invalid_parameter_value';
    end if;
  end if;
  v_quotas := berth_private.read_quotas(submit_task.type, submit_task.quotas);
  perform berth_private.check_quota_keys(submit_task.type, v_quotas.keys);
  v_lane := berth_private.sql_lane(submit_task.type, submit_task.limits);
  perform berth_private.check_lane_bytes(submit_task.type, submit_task.queue, v_lane.lane);
  if v_quotas.keys is not null then
    v_done := berth_private.submit_tasks(
      array[v_id], array[submit_task.type], array[submit_task.queue], array[submit_task.priority::smallint],
      array[submit_task.due_at], array[0::bigint], array[v_payload],
      array[berth_private.pairs(submit_task.metadata)::text], array[v_lane.lane], array[v_lane.limits::text],
      array[v_lane.weights::text], array[v_lane.said_slots::text], v_own, array[v_quotas.keys::text],
      array[v_quotas.mosts::text], array[v_quotas.when_full::text], null, null, null, true, array[submit_task.name]);
    if v_done.full_ids is not null then
      return berth_private.instead(
        v_done.full_keys[1], v_done.full_tasks[1], v_quotas.keys, v_quotas.mosts, v_quotas.when_full);
    end if;
    v_there := cardinality(v_done.existing) > 0;
  else
    insert into berth_private.task as t (
      id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, lane, limits, weights,
      said_slots, name)
    values (v_id, v_now, greatest(submit_task.due_at, v_now), v_now,
            case when submit_task.due_at > v_now then 'waiting' else 'ready' end::berth_private.task_state,
            submit_task.priority, submit_task.type, submit_task.queue, v_payload, submit_task.metadata,
            v_lane.lane, v_lane.limits, v_lane.weights, v_lane.said_slots, submit_task.name)
    on conflict on constraint task_pkey do nothing;
    v_there := not found;
    -- An id stays taken while history knows it. Looked up after the insert, as in write_tasks.
    if v_own and not v_there and exists (select from berth_private.task_history h where h.task_id = v_id) then
      delete from berth_private.task t where t.id = v_id;
      v_there := true;
    end if;
    if v_there then
      perform berth_private.refuse_conflict(
        array[v_id], array[v_id], array[submit_task.type], array[v_payload], null, null, array[submit_task.name]);
    end if;
  end if;
  -- The start of the transaction is a position before all it submits, and the same each time: one wake-up per queue.
  if v_there then
    return v_id;
  elsif submit_task.due_at > v_now then
    perform berth_private.wake_due(submit_task.queue, submit_task.due_at);
  else
    perform berth_private.wake_ready(submit_task.queue, case when v_lane.lane is null then submit_task.priority else -2 end,
                             transaction_timestamp() + (select shift from berth_private.clock));
  end if;
  return v_id;
end $$;
