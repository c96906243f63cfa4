-- Makes room for a task under its quotas, if they say so; they stand in the order in which they decide.
-- key null: there is room. Else this quota keeps the task out. task: the one that is there instead of it, or the one
-- that was asked to stop.
create function berth_private.make_room(
  p_id uuid, p_keys text[], p_mosts integer[], p_when_full text[], out key text, out task uuid
) language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_quota    record;
  v_found    record;
  v_left     bigint;
  v_replaced uuid[] := '{}';
begin
  for v_quota in
    select k.key, k.most, k.when_full, k.count
      from unnest(p_keys, p_mosts, p_when_full, berth_private.quota_counts(p_keys)) with ordinality
        as k (key, most, when_full, count, number)
     where k.count >= k.most order by k.number
  loop
    key := v_quota.key;
    case v_quota.when_full
      when 'existing' then
        select q.task_id into task from berth_private.quota_task q
         where q.key = v_quota.key order by q.submitted_at, q.task_id limit 1;
        return;
      when 'cancel' then
        select t.id, t.cancel_requested into v_found
          from berth_private.quota_task q
          join berth_private.task t on t.id = q.task_id
         where q.key = v_quota.key and t.state::text = 'running'  -- as text: the partial indexes are no way there
         order by t.token limit 1;
        if found and not v_found.cancel_requested then
          -- If it is locked it ends just now, or somebody else asks.
          perform from berth_private.task t where t.id = v_found.id and t.state::text = 'running' for update skip locked;
          if found then
            perform berth_private.cancel_task(v_found.id, 'stopped to make room under the quota ' || v_quota.key);
          end if;
        end if;
        task := v_found.id;
        return;
      when 'replace' then
        v_left := v_quota.count - (select count(*) from berth_private.quota_task q
                                    where q.task_id = any (v_replaced) and q.key = v_quota.key);
        continue when v_left < v_quota.most;
        select t.id into v_found
          from berth_private.quota_task q
          join berth_private.task t on t.id = q.task_id
         where q.key = v_quota.key and t.state::text <> 'running' and t.id <> all (v_replaced)
           and t.workflow is null  -- a workflow needs all its steps
         order by q.submitted_at, q.task_id limit 1 for update of t skip locked;
        if not found or v_left > v_quota.most then
          return;
        end if;
        v_replaced := v_replaced || v_found.id;
      else
        return;
    end case;
  end loop;
  key := null;
  perform berth_private.cancel_task(r.id, 'replaced by task ' || p_id) from unnest(v_replaced) as r (id);
end $$;

-- A batch of submit_batch in which some tasks are under quotas, decided one after another as if each came alone.
-- Those that have room are written together; what has to be looked at meanwhile is written before.
create function berth_private.submit_under_quotas(
  p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamptz[], p_delays bigint[],
  p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[],
  p_repeat boolean, p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[],
  p_on_failure text[], p_advance boolean, p_names text[],
  out existing uuid[], out "position" bigint, out full_ids uuid[], out full_keys text[], out full_tasks uuid[],
  out limited boolean
) language plpgsql as $$
declare
  v_count     integer := cardinality(p_ids);
  v_keys      text[] := array(select distinct unnest(q.keys::text[]) from unnest(p_quotas) as q (keys));
  v_counts    integer[] := berth_private.lock_quotas(v_keys);
  v_known     uuid[];
  v_chosen    boolean[] := array_fill(false, array[v_count]);
  v_from      integer := 1;   -- what is chosen from here on is not written yet
  v_number    integer := 1;
  v_own       text[];
  v_mosts     integer[];
  v_when_full text[];
  v_full      text;
  v_what      text;
  v_task      uuid;
  v_written   record;
  v_stopped   jsonb := '{}';  -- workflows of which a step was refused, and the quota
begin
  position := berth_private.microseconds(berth_private.now());
  limited := false;
  -- Looked up with the counts locked: whoever submitted the same task before has committed.
  v_known := array(
    select i.id from unnest(p_ids, p_quotas, p_workflows, p_steps) as i (id, quotas, workflow, step)
     where (i.quotas is not null or i.workflow is not null)
       and ((select true from berth_private.task t where t.id = i.id)
            or p_repeat and (select true from berth_private.task_history h where h.task_id = i.id limit 1)
            or (select true from berth_private.workflow_step s where s.workflow = i.workflow and s.step = i.step)));
  existing := v_known;

  loop
    v_full := null;
    v_what := null;
    v_own := p_quotas[v_number]::text[];
    if v_number <= v_count and p_ids[v_number] <> all (v_known) then
      v_mosts := p_mosts[v_number]::integer[];
      v_when_full := p_when_full[v_number]::text[];
      select k.key, k.when_full into v_full, v_what
        from unnest(v_own, v_mosts, v_when_full) with ordinality as k (key, most, when_full, number)
       where v_counts[array_position(v_keys, k.key)] >= k.most order by k.number limit 1;
      if v_stopped ? p_workflows[v_number] then
        v_full := v_stopped ->> p_workflows[v_number];
        v_what := 'refuse';
      elsif v_full is null then
        v_chosen[v_number] := true;
        for i in 1 .. coalesce(cardinality(v_own), 0) loop
          v_counts[array_position(v_keys, v_own[i])] := v_counts[array_position(v_keys, v_own[i])] + 1;
        end loop;
      end if;
    end if;

    -- The end, or tasks have to be looked at.
    if (v_number > v_count or v_what <> 'refuse') and true = any (v_chosen[v_from : v_number - 1]) then
      v_written := berth_private.write_tasks(
        p_ids[v_from : v_number - 1], p_types[v_from : v_number - 1], p_queues[v_from : v_number - 1],
        p_priorities[v_from : v_number - 1], p_due_ats[v_from : v_number - 1], p_delays[v_from : v_number - 1],
        p_payloads[v_from : v_number - 1], p_metadata[v_from : v_number - 1], p_lanes[v_from : v_number - 1],
        p_limits[v_from : v_number - 1], p_weights[v_from : v_number - 1], p_said_slots[v_from : v_number - 1],
        p_repeat, p_quotas[v_from : v_number - 1], p_mosts[v_from : v_number - 1], v_chosen[v_from : v_number - 1],
        p_workflows[v_from : v_number - 1], p_steps[v_from : v_number - 1], p_on_failure[v_from : v_number - 1], p_advance,
        p_names[v_from : v_number - 1]);
      existing := existing || v_written.existing;
      limited := limited or v_written.limited;
      v_from := v_number;
      v_counts := berth_private.quota_counts(v_keys);
    end if;
    exit when v_number > v_count;

    if v_full is not null then
      v_task := null;
      if v_what <> 'refuse' then
        select r.key, r.task into v_full, v_task
          from berth_private.make_room(p_ids[v_number], v_own, v_mosts, v_when_full) r;
        if v_full is null then  -- there is room now
          v_counts := berth_private.quota_counts(v_keys);
          continue;
        end if;
      end if;
      if p_workflows[v_number] is not null and v_what <> 'existing' then
        v_stopped := v_stopped || jsonb_build_object(p_workflows[v_number], v_full);
      end if;
      full_ids := array_append(full_ids, p_ids[v_number]);
      full_keys := array_append(full_keys, v_full);
      full_tasks := array_append(full_tasks, v_task);
    end if;
    v_number := v_number + 1;
  end loop;
  delete from berth_private.quota_count c where c.key = any (v_keys) and c.count = 0;
end $$;

-- A batch of tasks. Returns the ids that existed already and were left alone, null if none, and a position before all that
-- was submitted. With p_repeat (own ids, or a second try after a lost reply) a task that has ended meanwhile counts as
-- existing too. Tasks that a full quota kept out are told apart: the task, the quota, and what was found there.
create function berth_private.submit_tasks(
  p_ids        uuid[],
  p_types      text[],
  p_queues     text[],
  p_priorities smallint[],
  p_due_ats    timestamptz[],  -- null: after the delay
  p_delays     bigint[],       -- microseconds from now
  p_payloads   text[],
  p_metadata   text[],         -- an array literal of key, value, key, value; or null
  p_lanes      text[],         -- null: under no limit
  p_limits     text[],         -- array literals: the keys of the lane,
  p_weights    text[],         --   how many slots of each,
  p_said_slots text[],         --   how many slots each shall have if nobody knows it yet
  p_repeat     boolean,
  p_quotas     text[],     -- array literals: the keys of the quotas, in the order in which they decide,
  p_mosts      text[],     --   how many tasks each allows,
  p_when_full  text[],     --   what to do if there are as many
  p_workflows  text[],     -- null: all stand alone; else the workflow of each, or null,
  p_steps      text[],     --   the name of the step,
  p_on_failure text[],     --   and what becomes of those after it if it fails
  p_advance    boolean,    -- false: in a transaction of the caller's, which may take long
  p_names      text[] default null,  -- the texts their ids were made from, null where there is none
  out existing uuid[], out "position" bigint, out full_ids uuid[], out full_keys text[], out full_tasks uuid[],
  out limited boolean  -- whether limits of types were added that the tasks do not name
) language plpgsql set enable_seqscan = off set jit = off as $$
begin
  if p_when_full is not null then
    select s.existing, s.position, s.full_ids, s.full_keys, s.full_tasks, s.limited
      into existing, position, full_ids, full_keys, full_tasks, limited
      from berth_private.submit_under_quotas(
             p_ids, p_types, p_queues, p_priorities, p_due_ats, p_delays, p_payloads, p_metadata, p_lanes, p_limits,
             p_weights, p_said_slots, p_repeat, p_quotas, p_mosts, p_when_full, p_workflows, p_steps, p_on_failure,
             p_advance, p_names) s;
  else
    select w.existing, w.position, w.limited into existing, position, limited
      from berth_private.write_tasks(
             p_ids, p_types, p_queues, p_priorities, p_due_ats, p_delays, p_payloads, p_metadata, p_lanes, p_limits,
             p_weights, p_said_slots, p_repeat, p_quotas, p_mosts, null, p_workflows, p_steps, p_on_failure, p_advance,
             p_names) w;
  end if;
  if cardinality(existing) > 0 then
    perform berth_private.refuse_conflict(existing, p_ids, p_types, p_payloads, p_workflows, p_steps, p_names);
  end if;
end $$;
