-- What is wrong with a task; null: nothing. In the words in which a submit would have refused it.
create function berth_private.task_fault(p_task berth_private.task) returns text language plpgsql stable as $$
begin
  perform berth_private.check_name('task type', p_task.type), berth_private.check_name('queue', p_task.queue);
  perform berth_private.check_due(p_task.due_at);
  perform berth_private.check_any_key('limit', l.key), berth_private.check_weight(l.key, l.weight),
          berth_private.check_slots(l.key, l.slots)
     from unnest(p_task.limits, p_task.weights, p_task.said_slots) as l (key, weight, slots);
  perform berth_private.check_any_key('quota', q) from unnest(p_task.quotas) as q;
  if p_task.workflow is not null then
    perform berth_private.check_name('workflow', p_task.workflow), berth_private.check_name('step', p_task.step);
  end if;
  return case
    when jsonb_typeof(p_task.metadata) <> 'object' or jsonb_path_exists(p_task.metadata, '$.* ? (@.type() != "string")')
      then 'its metadata is no object of texts'
    when p_task.lane <> berth_private.lane_name(p_task.limits, p_task.weights) then 'its lane is not that of its limits'
    when (p_task.lane is null) <> (p_task.limits is null) then 'it has limits without a lane, or a lane without limits'
    when p_task.due_at = '-infinity' or not isfinite(p_task.position) then 'its place is no time'
    when p_task.state = 'running' and not exists (select from berth_private.session s where s.id = p_task.session_id)
      then 'it runs in a session that is gone' end;
exception when others then
  return sqlerrm;
end $$;

-- Rows that no function of this schema would have written.
create function berth_private.find_unreadable() returns table (kind text, name text, fault text) language sql stable as $$
  select 'task', t.id::text, f.fault
    from berth_private.task t cross join lateral berth_private.task_fault(t) as f (fault)
   where f.fault is not null
  union all
  select 'limit', l.key, 'this is not the key of a limit' from berth_private.task_limit l where not berth_private.is_key(l.key)
  union all
  select 'quota', c.key, 'this is not the key of a quota' from berth_private.quota_count c where not berth_private.is_key(c.key)
  union all
  select 'schedule', s.name, 'it is under a limit or a quota whose key is none'
    from berth_private.schedule s
   where exists (select from unnest(s.limits || s.quotas) as k where berth_private.is_key(k) is not true)
  union all
  select 'type', y.type, format('"%s" is not the key of a limit', y.key)
    from berth_private.type_limit y where not berth_private.is_key(y.key)
  union all
  select 'type', y.type, format('"%s" is not the key of a quota', y.key)
    from berth_private.type_quota y where not berth_private.is_key(y.key)
  union all
  select 'session', s.id::text, format('it has expired at %s, and no sweep has ended it', berth_private.iso_time(s.expires_at))
    from berth_private.session s where s.expires_at < berth_private.now() - interval '1 hour'
$$;
