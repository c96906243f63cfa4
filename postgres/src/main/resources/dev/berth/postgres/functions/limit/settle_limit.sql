-- Limits: at most N tasks at once, in this database, at every instant.
--
-- A limit's slots are spread over slot groups, so that claimers which come at the same time lock different rows. The
-- count in a group changes only in the transaction that changes the task which names the group: used is what running
-- tasks hold, and nothing can leak.
--
-- A LOWERED LIMIT DRAINS. Capacity that nobody uses goes at once; what is in use beyond the new number is the limit's
-- excess. Always: the capacities of a limit add up to slots + excess; and while there is excess, no group has room.
-- So a claim looks at groups only, and a slot that is given back pays off the excess before it is free again.
--
-- LOCKS are taken in one order: groups by key and number, then limits by key.

-- Puts the number in force that wins: override, then code, then submit.
create function berth_private.settle_limit(p_key text) returns void language plpgsql as $$
declare
  v_new integer;
  v_old integer;
  v_key text;
begin
  select coalesce(l.override_slots, l.code_slots, l.submit_slots), l.slots into v_new, v_old
    from berth_private.task_limit l where l.key = p_key;
  if v_new is not distinct from v_old then
    return;
  end if;
  perform berth_private.resize(p_key, v_new);
  update berth_private.task_limit l set slots = v_new, changed_at = berth_private.now() where l.key = p_key;
  -- The keys in use under a rule, each at most once with its own number.
  for v_key in select distinct g.key from berth_private.slot_group g where starts_with(g.key, p_key || '/') order by 1 loop
    perform berth_private.resize(v_key, l.slots) from berth_private.limit_of(v_key) l;
  end loop;
end $$;

-- The queues in which limited work is ready.
create function berth_private.limited_queues() returns setof text language sql stable set jit = off set enable_seqscan = off as $$
  with recursive q as (
    (select t.queue from berth_private.task t where t.state = 'ready' and t.lane is not null order by t.queue limit 1)
    union all
    select (select t.queue from berth_private.task t where t.state = 'ready' and t.lane is not null and t.queue > q.queue
             order by t.queue limit 1)
      from q where q.queue is not null
  )
  select q.queue from q where q.queue is not null
$$;

-- After a change by hand: one of many keys has no number in force of its own, only its group.
create function berth_private.change_limit(p_key text) returns void language plpgsql as $$
begin
  if split_part(p_key, '/', 4) <> '' then
    perform berth_private.resize(p_key, l.slots) from berth_private.limit_of(p_key) l;
    update berth_private.task_limit l set changed_at = berth_private.now() where l.key = p_key;
  else
    perform berth_private.settle_limit(p_key);
  end if;
  perform berth_private.wake_ready(q, -1, 'epoch') from berth_private.limited_queues() as q;
  perform berth_private.wake_waiting(array[p_key]);
end $$;
