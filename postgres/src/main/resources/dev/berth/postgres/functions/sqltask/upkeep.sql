-- After n failures: 2^n seconds, an hour at most.
create function berth_private.sql_retry_delay(p_failures integer) returns interval language sql immutable as $$
  select least(3600, power(2, least(p_failures, 12))) * interval '1 second'
$$;

create function berth_private.prune_sql_tasks() returns void language sql as $$
  delete from berth_private.sql_task s
   where not exists (select from berth_private.task t where t.id = s.task_id)
     and not exists (select from berth_private.task_history h where h.task_id = s.task_id);
  delete from berth_private.sql_ticket k
   where not exists (select from berth_private.task t where t.id = k.task_id and t.token = k.token)
$$;
