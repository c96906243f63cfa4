-- Who holds which slots. A running task names them, one of another state may still carry what it held last. A hold has
-- no task.
create view berth_private.slot_holder as
  select h.key, h.number, h.count, t.id as task_id, t.token, t.type, t.session_id,
         greatest(t.started_at, t.held_since) as since
    from berth_private.task t cross join lateral unnest(t.held) as h (key, number, count)
   where t.state = 'running' and t.held is not null
  union all
  select h.key, h.number, h.count, null, o.token, null, o.session_id, o.taken_at
    from berth_private.hold o cross join lateral unnest(o.held) as h (key, number, count);
