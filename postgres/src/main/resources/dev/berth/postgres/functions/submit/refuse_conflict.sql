-- Payloads as texts, else as what they say: the order of names in JSON may be another one with each start of a client.
create function berth_private.same_payload(p_one text, p_other text) returns boolean language plpgsql immutable as $$
begin
  return p_one = p_other or p_one::jsonb = p_other::jsonb;
exception when others then  -- such as \u0000, which jsonb cannot hold
  return false;
end $$;

-- To submit a task again is fine; another task under its id is an error. Those of p_ids in p_existing are there already,
-- alive or ended. What no history was kept of cannot be compared, and of a step that is long over only its type is known.
-- What the caller did not say is not told: not the name of the other one, nor its type where some roles may submit some types.
create function berth_private.refuse_conflict(
  p_existing uuid[], p_ids uuid[], p_types text[], p_payloads text[], p_workflows text[], p_steps text[],
  p_names text[]
) returns void language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_other record;
begin
  select s.id, s.type, o.type as other, coalesce(s.name, s.step) as name into v_other
    from unnest(p_ids, p_types, p_payloads, p_workflows, p_steps, p_names) as s (id, type, payload, workflow, step, name)
   cross join lateral (
     select t.type, t.payload from berth_private.task t where t.id = s.id
     union all
     select h.type, h.payload from berth_private.task_history h where h.task_id = s.id and h.final
     union all
     select w.type, s.payload from berth_private.workflow_step w where w.workflow = s.workflow and w.step = s.step) o
   where s.id = any (p_existing) and (s.type <> o.type or not berth_private.same_payload(s.payload, o.payload))
   limit 1;
  if found then
    raise exception 'The task % of type % was not submitted: this id belongs to a task of %',
      concat_ws(' ', v_other.id, '(' || v_other.name || ')'), v_other.type,
      case when v_other.type = v_other.other then 'type ' || v_other.type || ' with another payload'
           when exists (select from berth_private.role_grant g where g.types is not null) then 'another type'
           else 'type ' || v_other.other end
      using errcode = 'unique_violation';
  end if;
end $$;
