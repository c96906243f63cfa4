-- The ways in of the Java client: an insert submits, and returns what came of it; the caller wakes workers after its commit.
-- The right to name the caller is given to nobody.

-- A batch; see submit_tasks.
create view berth.submitting_batch as
  select null::uuid[] as ids, null::text[] as types, null::text[] as queues, null::smallint[] as priorities,
         null::timestamptz[] as due_ats,  -- null: after the delay
         null::bigint[] as delays,        -- microseconds from now
         null::text[] as payloads,
         null::text[] as metadata,        -- array literals: key, value, key, value; or null
         null::text[] as lanes,           -- null: under no limit
         null::text[] as limits,          -- array literals: the keys of the lane,
         null::text[] as weights,         --   how many slots of each,
         null::text[] as said_slots,      --   how many slots each shall have if nobody knows it yet
         null::boolean as repeat,
         null::text[] as quotas,          -- array literals: the keys of the quotas, in the order in which they decide,
         null::text[] as mosts,           --   how many tasks each allows,
         null::text[] as when_full,       --   what to do if there are as many
         null::text[] as workflows,       -- null: all stand alone; else the workflow of each, or null,
         null::text[] as steps,           --   the name of the step,
         null::text[] as on_failure,      --   and what becomes of those after it if it fails
         null::boolean as advance,        -- false: in a transaction of the caller's, which may take long
         null::text[] as names,           -- the texts their ids were made from, null where there is none
         null::name as caller,
         null::uuid[] as existing, null::bigint as position, null::uuid[] as full_ids, null::text[] as full_keys,
         null::uuid[] as full_tasks, null::boolean as limited;

alter view berth.submitting_batch alter column caller set default current_user;

create trigger take_submit_batch instead of insert on berth.submitting_batch
  for each row execute function berth_private.take_submit_batch();

-- The short way for one task that is new, due now, counted by no quota and no step of a workflow. Returns its position, or
-- null where only a batch can tell what to do: its type is under limits that the submit does not name.
create view berth.submitting_one as
  select null::uuid as id, null::text as type, null::text as queue, null::smallint as priority, null::text as payload,
         null::text[] as metadata, null::text as lane, null::text[] as limits, null::integer[] as weights,
         null::integer[] as said_slots, null::name as caller, null::bigint as position;

alter view berth.submitting_one alter column caller set default current_user;

create trigger take_submit_one instead of insert on berth.submitting_one
  for each row execute function berth_private.take_submit_one();

-- A submit named limits with a pace. It counts where nobody has said one, and no code knows the limit.
create function berth.name_paces(p_keys text[], p_paces bigint[]) returns void language plpgsql
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform berth_private.check_any_key('limit', k.key), berth_private.check_delay('The pace of the limit ' || k.key, k.pace)
     from unnest(p_keys, p_paces) as k (key, pace);
  insert into berth_private.task_limit as l (key, pace)
  select k.key, k.pace * interval '1 microsecond'
    from unnest(p_keys, p_paces) as k (key, pace)
    left join berth_private.task_limit known on known.key = k.key
   where known.pace is null and known.code_slots is null
   order by k.key
  on conflict (key) do update set pace = excluded.pace where l.pace is null and l.code_slots is null;
end $$;
