-- Quotas: at most so many tasks pending or running under a key, checked at submit.
--
-- THE COUNT IS A ROW that the submit changes: whoever comes second waits for it, and in a REPEATABLE READ transaction
-- gets a serialisation error. Counting the tasks behind a lock would count them in a snapshot that is older than the
-- lock. So a quota is the one thing in a submit that locks a row others need, until the transaction ends.
--
-- A count changes only with the task row that names its quotas: up with the insert, down with the delete, in one
-- transaction. It is gone when it falls to 0. Tasks without quotas meet nothing of this.
--
-- LOCKS. Counts are locked by key. Who ends a task has its row and comes for the counts; so who has the counts and
-- wants to make room skips tasks that are locked. Only a replaced task may be under quotas that the new one is not, and
-- their counts come after; in the worst case PostgreSQL ends one of two such submits, to be tried again.

create table berth.quota_count (
  key   text    not null,
  count integer not null,
  constraint quota_count_pkey primary key (key),
  constraint quota_count_positive check (count >= 0)
) with (fillfactor = 50);

-- Which tasks they are, to find the oldest.
create table berth.quota_task (
  task_id      uuid        not null,
  key          text        not null,
  submitted_at timestamptz not null,
  constraint quota_task_pkey primary key (task_id, key)
);

create index quota_task_age on berth.quota_task (key, submitted_at, task_id);

-- Locks the count of a key, with 0 where there is none. Read as a range backwards: the newest version is met first,
-- whatever dead ones vacuum may not remove.
create function berth.lock_quota(p_key text, out count integer, out place tid) language plpgsql
  set jit = off set enable_seqscan = off as $$
begin
  loop
    select c.count, c.ctid into lock_quota.count, place from berth.quota_count c
     where c.key between p_key and p_key order by c.key desc limit 1 for update;
    exit when found;
    insert into berth.quota_count as c (key, count) values (p_key, 0)
    on conflict do nothing
    returning c.count, c.ctid into lock_quota.count, place;
    exit when found;
  end loop;
end $$;

-- Each entry of p_keys counts p_by.
create function berth.count_quotas(p_keys text[], p_by integer) returns void language plpgsql as $$
declare
  v_key   text;
  v_by    integer;
  v_quota record;
begin
  for v_key, v_by in select k.key, p_by * count(*) from unnest(p_keys) as k (key) group by k.key order by k.key loop
    v_quota := berth.lock_quota(v_key);
    if v_quota.count + v_by > 0 then
      update berth.quota_count c set count = v_quota.count + v_by where c.ctid = v_quota.place;
    else
      delete from berth.quota_count c where c.ctid = v_quota.place;
    end if;
  end loop;
end $$;

-- These tasks are alive now.
create function berth.enter_quotas(p_ids uuid[]) returns void language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_keys text[];
begin
  with entered as (
    insert into berth.quota_task (task_id, key, submitted_at)
    select t.id, q.key, t.submitted_at
      from berth.task t
     cross join lateral unnest(t.quotas) as q (key)
     where t.id = any (p_ids)
    returning key)
  select array_agg(key) into v_keys from entered;
  perform berth.count_quotas(v_keys, 1);
end $$;

-- These tasks have ended for good.
create function berth.leave_quotas(p_ids uuid[]) returns void language plpgsql set jit = off set enable_seqscan = off as $$
declare
  v_keys text[];
begin
  with gone as (
    delete from berth.quota_task q where q.task_id = any (p_ids) returning q.key)
  select array_agg(key) into v_keys from gone;
  perform berth.count_quotas(v_keys, -1);
end $$;

-- Locks the counts of these keys, in their order, and returns them in the order of p_keys.
create function berth.lock_quotas(p_keys text[]) returns integer[] language plpgsql as $$
declare
  v_key text;
begin
  for v_key in select distinct k.key from unnest(p_keys) as k (key) order by 1 loop
    perform berth.lock_quota(v_key);
  end loop;
  return berth.quota_counts(p_keys);
end $$;

create function berth.quota_counts(p_keys text[]) returns integer[] language plpgsql set jit = off set enable_seqscan = off as $$
begin
  return array(select coalesce((select c.count from berth.quota_count c where c.key = k.key), 0)
                 from unnest(p_keys) with ordinality as k (key, number)
                order by k.number);
end $$;

-- The first of these quotas that has no room for one more, null if all have. Their counts stay locked.
create function berth.full_quota(p_keys text[], p_mosts integer[]) returns text language plpgsql as $$
declare
  v_full text;
begin
  select k.key into v_full
    from unnest(p_keys, p_mosts, berth.lock_quotas(p_keys)) with ordinality as k (key, most, count, number)
   where k.count >= k.most order by k.number limit 1;
  delete from berth.quota_count c where c.key = any (p_keys) and c.count = 0 and v_full is not null;
  return v_full;
end $$;

-- Makes room for a task under its quotas, if they say so; they stand in the order in which they decide.
-- key null: there is room. Else this quota keeps the task out. task: the one that is there instead of it, or the one
-- that was asked to stop.
create function berth.make_room(
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
      from unnest(p_keys, p_mosts, p_when_full, berth.quota_counts(p_keys)) with ordinality
        as k (key, most, when_full, count, number)
     where k.count >= k.most order by k.number
  loop
    key := v_quota.key;
    case v_quota.when_full
      when 'existing' then
        select q.task_id into task from berth.quota_task q
         where q.key = v_quota.key order by q.submitted_at, q.task_id limit 1;
        return;
      when 'cancel' then
        select t.id, t.cancel_requested into v_found
          from berth.quota_task q
          join berth.task t on t.id = q.task_id
         where q.key = v_quota.key and t.state::text = 'running'  -- as text: the partial indexes are no way there
         order by t.token limit 1;
        if found and not v_found.cancel_requested then
          -- If it is locked it ends just now, or somebody else asks.
          perform from berth.task t where t.id = v_found.id and t.state::text = 'running' for update skip locked;
          if found then
            perform berth.cancel(v_found.id, 'stopped to make room under the quota ' || v_quota.key);
          end if;
        end if;
        task := v_found.id;
        return;
      when 'replace' then
        v_left := v_quota.count - (select count(*) from berth.quota_task q
                                    where q.task_id = any (v_replaced) and q.key = v_quota.key);
        continue when v_left < v_quota.most;
        select t.id into v_found
          from berth.quota_task q
          join berth.task t on t.id = q.task_id
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
  perform berth.cancel(r.id, 'replaced by task ' || p_id) from unnest(v_replaced) as r (id);
end $$;

-- A batch of submit_batch in which some tasks are under quotas, decided one after another as if each came alone.
-- Those that have room are written together; what has to be looked at meanwhile is written before.
create function berth.submit_under_quotas(
  p_ids uuid[], p_types text[], p_queues text[], p_priorities smallint[], p_due_ats timestamptz[], p_delays bigint[],
  p_payloads text[], p_metadata text[], p_lanes text[], p_limits text[], p_weights text[], p_said_slots text[],
  p_repeat boolean, p_quotas text[], p_mosts text[], p_when_full text[], p_workflows text[], p_steps text[],
  p_on_failure text[], p_advance boolean,
  out existing uuid[], out "position" bigint, out full_ids uuid[], out full_keys text[], out full_tasks uuid[],
  out limited boolean
) language plpgsql as $$
declare
  v_count     integer := cardinality(p_ids);
  v_keys      text[] := array(select distinct unnest(q.keys::text[]) from unnest(p_quotas) as q (keys));
  v_counts    integer[] := berth.lock_quotas(v_keys);
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
  position := berth.microseconds(berth.now());
  limited := false;
  -- Looked up with the counts locked: whoever submitted the same task before has committed.
  v_known := array(
    select i.id from unnest(p_ids, p_quotas, p_workflows, p_steps) as i (id, quotas, workflow, step)
     where (i.quotas is not null or i.workflow is not null)
       and ((select true from berth.task t where t.id = i.id)
            or p_repeat and (select true from berth.task_history h where h.task_id = i.id limit 1)
            or (select true from berth.workflow_step s where s.workflow = i.workflow and s.step = i.step)));
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
      v_written := berth.submit_batch(
        p_ids[v_from : v_number - 1], p_types[v_from : v_number - 1], p_queues[v_from : v_number - 1],
        p_priorities[v_from : v_number - 1], p_due_ats[v_from : v_number - 1], p_delays[v_from : v_number - 1],
        p_payloads[v_from : v_number - 1], p_metadata[v_from : v_number - 1], p_lanes[v_from : v_number - 1],
        p_limits[v_from : v_number - 1], p_weights[v_from : v_number - 1], p_said_slots[v_from : v_number - 1],
        p_repeat, p_quotas[v_from : v_number - 1], p_mosts[v_from : v_number - 1], null, v_chosen[v_from : v_number - 1],
        p_workflows[v_from : v_number - 1], p_steps[v_from : v_number - 1], p_on_failure[v_from : v_number - 1], p_advance);
      existing := existing || v_written.existing;
      limited := limited or v_written.limited;
      v_from := v_number;
      v_counts := berth.quota_counts(v_keys);
    end if;
    exit when v_number > v_count;

    if v_full is not null then
      v_task := null;
      if v_what <> 'refuse' then
        select r.key, r.task into v_full, v_task
          from berth.make_room(p_ids[v_number], v_own, v_mosts, v_when_full) r;
        if v_full is null then  -- there is room now
          v_counts := berth.quota_counts(v_keys);
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
  delete from berth.quota_count c where c.key = any (v_keys) and c.count = 0;
end $$;

-- The quotas of a submit from SQL: {"type/backup": 5, "type/backup/db/sales": 2}. Keys as those of limits.
create function berth.read_quotas(p_quotas jsonb, out keys text[], out mosts integer[]) language plpgsql immutable as $$
declare
  v_key  text;
  v_most jsonb;
begin
  if jsonb_typeof(p_quotas) <> 'object' then
    raise exception 'Quotas are an object of numbers, such as {"type/backup": 5}' using errcode = 'invalid_parameter_value';
  end if;
  for v_key, v_most in select q.key, q.value from jsonb_each(p_quotas) as q (key, value) loop
    perform berth.check_key('quota', v_key);
    if jsonb_typeof(v_most) <> 'number' or v_most::numeric not between 0 and 1000000 or v_most::numeric % 1 <> 0 then
      raise exception 'The quota % cannot be %: use 0 (refuses all) to 1000000', v_key, v_most
        using errcode = 'invalid_parameter_value';
    end if;
    keys := keys || v_key;
    mosts := mosts || v_most::integer;
  end loop;
end $$;

-- After a task was counted: an error, which takes it back, if that was one too many.
create function berth.refuse_over_quota(p_keys text[], p_mosts integer[]) returns void language plpgsql as $$
declare
  v_over record;
begin
  select k.key, k.most into v_over
    from unnest(p_keys, p_mosts, berth.quota_counts(p_keys)) as k (key, most, count)
   where k.count > k.most order by k.key limit 1;
  if found then
    raise exception 'The quota % is %: the task was not submitted', v_over.key,
      case v_over.most when 0 then '0' else 'full (' || v_over.most || ' pending or running)' end
      using errcode = 'configuration_limit_exceeded';
  end if;
end $$;
