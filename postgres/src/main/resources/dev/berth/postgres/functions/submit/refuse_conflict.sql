-- Payloads as texts, else as what they say: the order of names in JSON may be another one with each start of a client.
create function berth_private.same_payload(p_one text, p_other text) returns boolean language plpgsql immutable as $$
begin
  return p_one = p_other or p_one::jsonb = p_other::jsonb;
exception when others then  -- such as \u0000, which jsonb cannot hold
  return false;
end $$;

-- To submit a task again is fine; another task under its id is an error. Those of p_ids in p_existing are there already,
-- alive or ended. What no history was kept of cannot be compared, and of a step that is long over only its type is known.
create function berth_private.refuse_conflict(
  p_existing uuid[], p_ids uuid[], p_types text[], p_payloads text[], p_workflows text[], p_steps text[]
) returns void language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_other record;
begin
  select s.id, s.type, o.type as other, o.name into v_other
    from unnest(p_ids, p_types, p_payloads, p_workflows, p_steps) as s (id, type, payload, workflow, step)
   cross join lateral (
     select t.type, t.payload, t.name from berth_private.task t where t.id = s.id
     union all
     select h.type, h.payload, h.name from berth_private.task_history h where h.task_id = s.id and h.final
     union all
     select w.type, s.payload, w.step from berth_private.workflow_step w where w.workflow = s.workflow and w.step = s.step) o
   where s.id = any (p_existing) and (s.type <> o.type or not berth_private.same_payload(s.payload, o.payload))
   limit 1;
  if found then
    raise exception 'The task % of type % was not submitted: this id belongs to a task of type %',
      concat_ws(' ', v_other.id, '(' || v_other.name || ')'), v_other.type,
      concat_ws(' ', v_other.other, case when v_other.type = v_other.other then 'with another payload' end)
      using errcode = 'unique_violation';
  end if;
end $$;
