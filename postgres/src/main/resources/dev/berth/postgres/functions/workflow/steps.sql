-- The id of the task of a step, as the client makes it.
create function berth_private.step_id(p_workflow text, p_step text) returns uuid language sql immutable as $$
  select berth_private.named_id(E'workflow\n' || p_workflow, p_step)
$$;

-- Of tasks that were just inserted, those whose steps have ended already.
create function berth_private.known_steps(p_inserted uuid[], p_ids uuid[], p_workflows text[], p_steps text[])
returns setof uuid language sql stable as $$
  select i.id from unnest(p_ids, p_workflows, p_steps) as i (id, workflow, step)
   where i.id = any (p_inserted)
     and (select true from berth_private.workflow_step s where s.workflow = i.workflow and s.step = i.step)
$$;

-- Locks workflows, which are made where they are not known; p_names is sorted. Whoever forgets one meanwhile has
-- committed when the lock is there, and it is made again.
create function berth_private.lock_workflows(p_names text[]) returns void language plpgsql as $$
declare
  v_locked integer;
begin
  loop
    perform from unnest(p_names) as n (name)
      cross join lateral (select from berth_private.workflow w where w.name = n.name for update) w;
    get diagnostics v_locked = row_count;
    exit when v_locked = cardinality(p_names);
    insert into berth_private.workflow (name)
    select n.name from unnest(p_names) as n (name)
     where (select true from berth_private.workflow w where w.name = n.name) is null
    on conflict do nothing;
  end loop;
end $$;

-- Wakes whoever may claim steps that were promoted.
create function berth_private.wake_steps(p_queues text[], p_priorities smallint[], p_due_ats timestamptz[]) returns void
language plpgsql as $$
declare
  v_now timestamptz := berth_private.now();
begin
  for i in 1 .. coalesce(cardinality(p_queues), 0) loop
    if p_due_ats[i] > v_now then
      perform berth_private.wake_due(p_queues[i], p_due_ats[i]);
    else
      -- A second ago: these wake-ups are equal, and the database sends one.
      perform berth_private.wake_ready(p_queues[i], p_priorities[i], date_trunc('second', v_now) - interval '1 second');
    end if;
  end loop;
end $$;

-- Before a held step is locked to be cancelled.
create function berth_private.lock_held_step(p_id uuid) returns void language plpgsql as $$
declare
  v_workflow text;
begin
  select t.workflow into v_workflow from berth_private.task t where t.id = p_id and t.state::text = 'held';
  if found then
    perform berth_private.lock_workflows(array[v_workflow]);
  end if;
end $$;
