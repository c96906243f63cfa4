-- Keeps rows out whose columns do not go together, as somebody may write them by hand. No claim touches these columns, so none
-- pays for it. Who writes by hand brings a search_path: what an array of one type could be put in the way of has its schema.
create function berth_private.check_row() returns trigger language plpgsql as $$
begin
  if (new.lane is null) <> (new.limits is null)
     or pg_catalog.cardinality(new.weights) is distinct from pg_catalog.cardinality(new.limits)
     or pg_catalog.cardinality(new.said_slots) is distinct from pg_catalog.cardinality(new.limits) then
    raise exception 'Task % needs a lane and as many weights and numbers of slots as limits, or none of them', new.id
      using errcode = 'check_violation', constraint = 'task_limits';
  elsif octet_length(pg_catalog.array_to_string(new.limits, '')) > octet_length(new.lane)
        or octet_length(new.queue) + octet_length(new.type) + coalesce(octet_length(new.lane), 0) > 2600
        or octet_length(new.queue) > 800 or octet_length(new.type) > 800
        or octet_length(new.workflow) > 800 or octet_length(new.step) > 800 then
    raise exception 'Task % has names that no index can keep, or limits that are not those of its lane', new.id
      using errcode = 'check_violation', constraint = 'task_names';
  elsif pg_catalog.concat_ws('', new.type, new.queue, new.workflow, new.step) ~ '[\u0001-\u001f\u007f-\u009f]' then
    raise exception 'Task % has a name that contains a control character', new.id
      using errcode = 'check_violation', constraint = 'task_names';
  elsif pg_catalog.cardinality(new.quotas) is distinct from pg_catalog.cardinality(new.quota_mosts) then
    raise exception 'Task % needs a number for each of its quotas', new.id
      using errcode = 'check_violation', constraint = 'task_quotas';
  elsif pg_catalog.num_nulls(new.workflow, new.step, new.step_number, new.on_failure) not in (0, 4) then
    raise exception 'Task % needs the name of its workflow and of its step, a place in the order, and what becomes of those '
                    'after it, or none of them', new.id using errcode = 'check_violation', constraint = 'task_step';
  end if;
  return new;
end $$;

create trigger check_row before insert or update of type, queue, lane, limits, weights, said_slots, quotas, quota_mosts, workflow,
    step, step_number, on_failure on berth_private.task
  for each row when (new.lane is not null or new.limits is not null or new.quotas is not null or new.workflow is not null
                     or octet_length(new.queue) > 800 or octet_length(new.type) > 800
                     or (new.type || new.queue) ~ '[\u0001-\u001f\u007f-\u009f]')
  execute function berth_private.check_row();
