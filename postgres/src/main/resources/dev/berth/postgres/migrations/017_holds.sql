-- Holds: slots of a limit without a task. Somebody outside the queue takes them under the same rules, from the same groups
-- and with the same locks as a claim does: who takes never waits for a group, who gives back does.

-- Takes slots of one limit, all that are needed or none. verdict: done (with the token), full or lost. The token is drawn
-- while the groups are locked: it is higher than that of whoever held these slots before.
create function berth.hold_slots(
  p_session bigint, p_number bigint, p_key text, p_weight integer, p_slots integer, out verdict text, out token bigint
) language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_now     timestamptz;
  v_expires timestamptz;
  v_rule    text := berth.rule_of(p_key);
  v_for     text := 'hold ' || p_session;  -- for whom slots are reserved
  v_limit   record;
  v_need    integer := p_weight;
  v_held    berth.slots_held[] := '{}';
  v_group   record;
begin
  -- Locked against an expiry in the middle of this; as a range read backwards, as in begin_exchange.
  select s.expires_at into v_expires from berth.session s
   where s.id between p_session and p_session order by s.id desc limit 1 for key share;
  if not found or v_expires <= berth.now() then
    verdict := 'lost';
    return;
  end if;
  select h.token into token from berth.hold h where h.session_id = p_session and h.number = p_number;
  if found then
    verdict := 'done';
    return;
  end if;

  if not exists (select from berth.task_limit l
                  where l.key = v_rule and (coalesce(l.submit_slots, l.code_slots) is not null or l.removed)) then
    perform berth.make_limits(array[(null, null, array[p_key], array[p_weight], array[p_slots], null, null)::berth.lane_head]);
  end if;
  v_now := berth.now();
  select * into v_limit from berth.limit_of(p_key);
  if v_limit.stopped or v_limit.pace is not null and v_limit.next_start_at > v_now
     or berth.is_reserved(array[p_key], v_for, v_now) then
    verdict := 'full';
  elsif v_limit.slots is not null then
    if split_part(p_key, '/', 4) <> '' and not exists (select from berth.slot_group g where g.key = p_key)
       and pg_try_advisory_xact_lock(19770525, hashtext(p_key)) then
      insert into berth.slot_group (key, number, capacity, used) values (p_key, 1, v_limit.slots, 0) on conflict do nothing;
    end if;
    -- Group by group, so that one which somebody else has locked is passed over and no more are locked than needed.
    while v_need > 0 loop
      select g.number, g.used, least(g.capacity - g.used, v_need) as took into v_group
        from berth.slot_group g
       where g.key = p_key and g.used < g.capacity and g.number <> all (array(select h.number from unnest(v_held) as h))
       order by (g.number + pg_backend_pid()) % 50, g.number limit 1 for update skip locked;
      exit when not found;
      v_held := v_held || (p_key, v_group.number, v_group.took)::berth.slots_held;
      v_need := v_need - v_group.took;
    end loop;
    if v_need > 0 then
      verdict := 'full';
    end if;
  end if;

  -- Starts under a paced limit come one by one, whoever asks.
  if verdict is null and v_limit.pace is not null then
    perform from berth.task_limit l
      where l.key = v_rule and coalesce(l.next_start_at, '-infinity') <= v_now for update skip locked;
    if found then
      update berth.task_limit l set next_start_at = v_now + l.pace where l.key = v_rule;
    else
      verdict := 'full';
    end if;
  end if;

  if verdict = 'full' then
    -- A row was made for a key, and then nothing taken.
    delete from berth.slot_group g
     where g.key = p_key and split_part(p_key, '/', 4) <> '' and g.used = 0
       and g.number in (select h.number from unnest(v_held) as h);
    perform berth.wait_for(p_session, array[p_key], v_now);
    perform berth.reserve(array[p_key], array[p_weight], 1, v_for, v_now);
    return;
  end if;
  update berth.slot_group g set used = g.used + h.count
    from unnest(v_held) as h where g.key = h.key and g.number = h.number;
  if p_weight > 1 then
    perform berth.end_reservation(array[p_key], v_for);
  end if;
  verdict := 'done';
  token := nextval('berth.token');
  insert into berth.hold (session_id, number, token, key, weight, held)
  values (p_session, p_number, token, p_key, p_weight, v_held);
end $$;

-- Gives the slots of a hold back. queues: where others wait for them.
create function berth.release_hold(p_session bigint, p_number bigint, out released boolean, out queues text[])
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_hold record;
begin
  delete from berth.hold h where h.session_id = p_session and h.number = p_number returning h.key, h.held into v_hold;
  released := found;
  if released then
    perform berth.give_back(v_hold.held);
    queues := berth.waiting_queues(array[v_hold.key]);
  end if;
end $$;

-- The queues of the sessions that asked in vain for slots of these limits. Each is named once, until it has asked again.
create function berth.waiting_queues(p_keys text[]) returns text[] language sql as $$
  with served as (
    update berth.slot_waiter w set served_at = berth.now()
     where w.ctid = any (array(
       select v.ctid from berth.slot_waiter v
        where v.key = any (p_keys) and v.seen_at > v.served_at for update skip locked))
    returning w.session_id
  )
  select array(select distinct q.queue from served w
                 join berth.session s on s.id = w.session_id
                cross join lateral unnest(s.queues) as q (queue))
$$;

-- Wakes them, from within the database.
create function berth.wake_waiting(p_keys text[]) returns void language sql as $$
  select berth.wake_ready(q, -2, 'epoch') from unnest(berth.waiting_queues(p_keys)) as q
$$;

-- A person knows that who holds slots of this limit under this token is dead. A task is taken back as from a crashed worker:
-- its token is stale from now on. A hold without a task is gone. 'unknown': nobody holds them under this token any more.
create function berth.release_slot(p_key text, p_token bigint) returns text language plpgsql
  set enable_seqscan = off set jit = off as $$
declare
  v_id   uuid;
  v_held berth.slots_held[];
begin
  select h.task_id into v_id from berth.slot_holder h where h.key = p_key and h.token = p_token limit 1;
  if v_id is null then
    delete from berth.hold h where h.key = p_key and h.token = p_token returning h.held into v_held;
    if not found then
      return 'unknown';
    end if;
    perform berth.give_back(v_held);
  else
    select t.held into v_held from berth.task t where t.id = v_id and t.token = p_token for update;
    if not found then
      return 'unknown';
    end if;
    perform berth.take_back(array[v_id], 'crashed', 'lost the task when its slot of the limit ' || p_key || ' was released by hand');
  end if;
  perform berth.wake_waiting(array(select distinct h.key from unnest(v_held) as h));
  return 'done';
end $$;
