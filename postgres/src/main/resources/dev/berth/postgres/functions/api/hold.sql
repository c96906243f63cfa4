-- Holds: slots of a limit without a task. Somebody outside the queue takes them under the same rules, from the same groups
-- and with the same locks as a claim does: who takes never waits for a group, who gives back does.

-- Takes slots of one limit, all that are needed or none. verdict: done (with the token), full or lost. The token is drawn
-- while the groups are locked: it is higher than that of whoever held these slots before.
create function berth.hold_slots(
  p_session bigint, p_proof uuid, p_number bigint, p_key text, p_weight integer, p_slots integer, out verdict text,
    out token bigint
) language plpgsql set enable_seqscan = off set jit = off
  set lock_timeout = '2s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_expires timestamptz;
  v_rule    text := berth_private.rule_of(p_key);
  v_for     text := 'hold ' || p_session;  -- for whom slots are reserved
  v_known   boolean;
  v_limit   record;
  v_need    integer := p_weight;
  v_held    berth_private.slots_held[] := '{}';
  v_group   record;
begin
  perform berth_private.check_key('limit', p_key);
  perform berth_private.check_weight(p_key, p_weight);
  perform berth_private.check_slots(p_key, p_slots);
  -- Locked against an expiry in the middle of this; as a range read backwards, as in begin_exchange.
  select s.expires_at into v_expires from berth_private.session s
   where s.id between p_session and p_session and s.proof = p_proof order by s.id desc limit 1 for key share;
  if not found or v_expires <= berth_private.now() then
    verdict := 'lost';
    return;
  end if;
  select h.token into token from berth_private.hold h where h.session_id = p_session and h.number = p_number;
  if found then
    verdict := 'done';
    return;
  end if;

  v_known := exists (select from berth_private.task_limit l
                      where l.key = v_rule and (coalesce(l.submit_slots, l.code_slots) is not null or l.removed));
  if not v_known then
    perform berth_private.make_limits(array[(null, null, array[p_key], array[p_weight], array[p_slots], null,
      null)::berth_private.lane_head]);
  end if;
  v_now := berth_private.now();
  select * into v_limit from berth_private.limit_of(p_key);
  if not v_known and not exists (select from berth_private.task_limit l
                                  where l.key = v_rule and (coalesce(l.submit_slots, l.code_slots) is not null or l.removed)) then
    verdict := 'full';  -- an open transaction is just naming it
  elsif v_limit.stopped or v_limit.pace is not null and v_limit.next_start_at > v_now
     or berth_private.is_reserved(array[p_key], v_for, v_now) then
    verdict := 'full';
  elsif v_limit.slots is not null then
    if split_part(p_key, '/', 4) <> '' and not exists (select from berth_private.slot_group g where g.key = p_key)
       and pg_try_advisory_xact_lock(19770525, hashtext(p_key)) then
      insert into berth_private.slot_group (key, number, capacity, used)
        values (p_key, 1, v_limit.slots, 0) on conflict do nothing;
    end if;
    -- Group by group, so that one which somebody else has locked is passed over and no more are locked than needed.
    while v_need > 0 loop
      select g.number, g.used, least(g.capacity - g.used, v_need) as took into v_group
        from berth_private.slot_group g
       where g.key = p_key and g.used < g.capacity and g.number <> all (array(select h.number from unnest(v_held) as h))
       order by (g.number + pg_backend_pid()) % 50, g.number limit 1 for update skip locked;
      exit when not found;
      v_held := v_held || (p_key, v_group.number, v_group.took)::berth_private.slots_held;
      v_need := v_need - v_group.took;
    end loop;
    if v_need > 0 then
      verdict := 'full';
    end if;
  end if;

  -- Starts under a paced limit come one by one, whoever asks.
  if verdict is null and v_limit.pace is not null then
    perform from berth_private.task_limit l
      where l.key = v_rule and coalesce(l.next_start_at, '-infinity') <= v_now for update skip locked;
    if found then
      update berth_private.task_limit l set next_start_at = v_now + l.pace where l.key = v_rule;
    else
      verdict := 'full';
    end if;
  end if;

  if verdict = 'full' then
    -- A row was made for a key, and then nothing taken.
    delete from berth_private.slot_group g
     where g.key = p_key and split_part(p_key, '/', 4) <> '' and g.used = 0
       and g.number in (select h.number from unnest(v_held) as h);
    perform berth_private.wait_for(p_session, array[p_key], v_now);
    perform berth_private.reserve(array[p_key], array[p_weight], 1, v_for, v_now);
    return;
  end if;
  update berth_private.slot_group g set used = g.used + h.count
    from unnest(v_held) as h where g.key = h.key and g.number = h.number;
  if p_weight > 1 then
    perform berth_private.end_reservation(array[p_key], v_for);
  end if;
  verdict := 'done';
  token := nextval('berth_private.token');
  insert into berth_private.hold (session_id, number, token, key, weight, held, taken_at)
  values (p_session, p_number, token, p_key, p_weight, v_held, v_now);
end $$;

-- Gives the slots of a hold back. queues: where others wait for them.
create function berth.release_hold(p_session bigint, p_proof uuid, p_number bigint, out released boolean, out queues text[])
language plpgsql set enable_seqscan = off set jit = off
  set lock_timeout = '2s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hold record;
begin
  delete from berth_private.hold h
   where h.session_id = p_session and h.number = p_number
     and exists (select from berth_private.session s where s.id = p_session and s.proof = p_proof)
  returning h.key, h.held into v_hold;
  released := found;
  if released then
    perform berth_private.give_back(v_hold.held);
    queues := berth_private.waiting_queues(array[v_hold.key]);
  end if;
end $$;

-- A person knows that who holds slots of this limit under this token is dead. A task is taken back as from a crashed worker:
-- its token is stale from now on. A hold without a task is gone. 'unknown': nobody holds them under this token any more.
create function berth.release_slot(p_key text, p_token bigint) returns text language plpgsql
  set enable_seqscan = off set jit = off
  set lock_timeout = '10s' security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id   uuid;
  v_held berth_private.slots_held[];
begin
  select h.task_id into v_id from berth_private.slot_holder h where h.key = p_key and h.token = p_token limit 1;
  if v_id is null then
    delete from berth_private.hold h where h.key = p_key and h.token = p_token returning h.held into v_held;
    if not found then
      return 'unknown';
    end if;
    perform berth_private.give_back(v_held);
  else
    select t.held into v_held from berth_private.task t where t.id = v_id and t.token = p_token for update;
    if not found then
      return 'unknown';
    end if;
    perform berth_private.take_back(array[v_id], 'crashed',
      'lost the task when its slot of the limit ' || p_key || ' was released by hand');
  end if;
  perform berth_private.wake_waiting(array(select distinct h.key from unnest(v_held) as h));
  return 'done';
end $$;
