-- The queues of the sessions that asked in vain for slots of these limits. Each is named once, until it has asked again.
create function berth_private.waiting_queues(p_keys text[]) returns text[] language sql as $$
  with served as (
    update berth_private.slot_waiter w set served_at = berth_private.now()
     where w.ctid = any (array(
       select v.ctid from berth_private.slot_waiter v
        where v.key = any (p_keys) and v.seen_at > v.served_at for update skip locked))
    returning w.session_id
  )
  select array(select distinct q.queue from served w
                 join berth_private.session s on s.id = w.session_id
                cross join lateral unnest(s.queues) as q (queue))
$$;

-- Wakes them, from within the database.
create function berth_private.wake_waiting(p_keys text[]) returns void language sql as $$
  select berth_private.wake_ready(q, -2, 'epoch') from unnest(berth_private.waiting_queues(p_keys)) as q
$$;
