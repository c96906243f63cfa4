-- Submit: tasks become durable. Nothing here locks a row that anybody else needs, but for the counts of quotas.

-- Writes tasks and counts them under their quotas, without asking whether there is room. See submit_tasks.
create function berth_private.write_tasks(
  p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamptz[], p_delays bigint[],
  p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[],
  p_repeat boolean, p_quotas text[], p_mosts text[],
  p_chosen boolean[],  -- which of them to write; null: all
  p_workflows text[], p_steps text[], p_on_failure text[], p_advance boolean, p_names text[],
  out existing uuid[], out "position" bigint, out limited boolean
) language plpgsql as $$
declare
  v_added    record;
  v_now      timestamptz := clock_timestamp() + (select shift from berth_private.clock);
  v_inserted uuid[];
  v_ended    uuid[];
begin
  perform berth_private.check_sizes('payload', p_types, p_payloads);
  perform berth_private.check_sizes('metadata', p_types, p_metadata);
  v_added := berth_private.add_type_limits(p_types, p_limits, p_weights, p_said_slots);
  limited := v_added.lanes is not null;
  if limited then
    p_lanes := v_added.lanes;
    p_limits := v_added.limits;
    p_weights := v_added.weights;
    p_said_slots := v_added.said_slots;
    perform berth_private.check_lane_bytes(l.type, l.queue, l.lane)
       from unnest(p_types, p_queues, p_lanes) as l (type, queue, lane);
  end if;
  position := (extract(epoch from v_now) * 1000000)::bigint;
  with inserted as (
    insert into berth_private.task (
      id, position, due_at, submitted_at, state, priority, type, queue, payload, metadata, lane, limits, weights, said_slots,
      quotas, quota_mosts, workflow, step, step_number, on_failure, name)
    select s.id, v_now + s.number * interval '1 microsecond',
           greatest(s.due_at, v_now + s.delay * interval '1 microsecond'), v_now,
           case when s.workflow is not null then 'held' when s.due_at > v_now or s.delay > 0 then 'waiting'
                else 'ready' end::berth_private.task_state,
           s.priority, s.type, s.queue, s.payload, jsonb_object(s.metadata::text[]), s.lane, s.limits::text[],
           s.weights::integer[], s.said_slots::integer[], s.quotas::text[], s.mosts::integer[], s.workflow, s.step,
           case when s.workflow is not null then nextval('berth_private.step_number') end, s.on_failure::berth_private.on_failure,
           left(s.name, 200)
      from unnest(p_ids, p_types, p_queues, p_priorities, p_due_ats, p_delays, p_payloads, p_metadata, p_lanes,
                  p_limits, p_weights, p_said_slots, p_quotas, p_mosts, p_chosen, p_workflows, p_steps, p_on_failure,
                  p_names)
             with ordinality
        as s (id, type, queue, priority, due_at, delay, payload, metadata, lane, limits, weights, said_slots, quotas,
              mosts, chosen, workflow, step, on_failure, name, number)
     where s.chosen is not false
    on conflict (id) do nothing
    returning id)
  select array_agg(id) into v_inserted from inserted;

  -- Looked up after the insert: the id was free, so whoever ended the task has committed and its history is visible.
  if p_repeat then
    select array_agg(i.id) into v_ended
      from unnest(v_inserted) as i (id)
     where (select true from berth_private.task_history h where h.task_id = i.id limit 1);
    if p_workflows is not null then
      v_ended := nullif(array(
        select unnest(v_ended) union select berth_private.known_steps(v_inserted, p_ids, p_workflows, p_steps)), '{}');
    end if;
    if v_ended is not null then
      delete from berth_private.task t where t.id = any (v_ended);
      existing := v_ended;
    end if;
  end if;

  if cardinality(v_inserted) is distinct from cardinality(p_ids) then  -- all: an id may come twice
    existing := existing || array(select i.id from unnest(p_ids, p_chosen) as i (id, chosen)
                                   where i.chosen is not false except all select unnest(v_inserted));
  end if;
  if p_quotas is not null then
    perform berth_private.enter_quotas(array(select unnest(v_inserted) except select unnest(v_ended)));
  end if;
  if p_workflows is not null then
    perform berth_private.take_in_steps(
      array(select distinct s.workflow from unnest(p_ids, p_workflows) as s (id, workflow)
             where s.workflow is not null and s.id = any (v_inserted)), p_advance, v_now);
  end if;
end $$;
